// A page of two plans: what changed, function by function. The buffers of both
// have the change that buffer-merge-report found; it knows which are the same.

// A buffer at another offset is a change if its function takes other bytes: else
// nothing follows from it. Functions and pools with nothing else are unchanged.
function withoutIdleMoves(changes) {
  const functions = changes.functions.map(change =>
      change.before !== change.after || change.pools.length ? change
          : {...change, buffers: change.buffers.filter(b => b.change !== 'moved')});
  return {...changes, functions: functions.filter(change => change.peak ||
      change.before !== change.after || change.pools.length ||
      change.buffers.length || change.renamedFrom !== undefined)};
}

function markChanges(changes, after, before) {
  for (const {buffers} of changes.functions)
    for (const change of buffers) {
      if (change.after)
        after.pools[change.after.pool].buffers[change.after.buffer].change = change.change;
      if (change.before)
        before.pools[change.before.pool].buffers[change.before.buffer].change =
            change.change;
    }
  // Functions that are new or gone as a whole.
  for (const change of changes.functions)
    for (const [report, isThere, name] of [[after, change.before, 'new'],
        [before, change.after, 'gone']])
      for (const pool of report.pools)
        if (isThere === undefined && (pool.function || '') === change.function)
          for (const b of pool.buffers)
            b.change = name;
}

// The pools of the plan before, each after the pool that replaced it; those of
// functions without a change are left out.
function interleave(changes, after, before) {
  const changed = new Map(changes.functions.map(change =>
      [change.function, change.renamedFrom || change.function]));
  const models = [], used = new Set();
  const kind = pool => [pool.scope, pool.memorySpace].join(' ');
  after.pools.forEach((pool, index) => {
    models.push(new Pool(pool, index, 'after'));
    const name = changed.get(pool.function || '');
    const i = before.pools.findIndex((old, i) => !used.has(i) &&
        (old.function || '') === name && kind(old) === kind(pool));
    if (i < 0)
      return;
    used.add(i);
    const old = new Pool(before.pools[i], i, 'before');
    old.pair = models.at(-1);
    old.pair.pair = old;
    old.pairName = pool.function;
    models.push(old);
  });
  const names = new Set(changed.values());
  before.pools.forEach((pool, i) => {
    if (!used.has(i) && names.has(pool.function || ''))
      models.push(new Pool(pool, i, 'before'));
  });
  return models;
}

function makeChanges(app) {
  const {changes} = app;
  const show = item => {
    const panel = app.panels.find(p => (p.model.pool.function || '') === item.function) ||
        app.panels.find(p => (p.model.pool.function || '') === item.renamedFrom);
    if (panel) {
      panel.node.scrollIntoView({block: 'start'});
      panel.chart.focus({preventScroll: true});
    }
  };
  const size = n => n === undefined ? '' : n;
  const count = kinds => item => item.buffers.filter(b => kinds.includes(b.change)).length;
  const growth = item => (item.after || 0) - (item.before || 0);
  $('changes').hidden = false;
  const title = html('h2', {text: 'Changes'});
  if (!changes.functions.length) {
    $('changes').append(title, html('p', {text: 'Nothing changed.'}));
    return;
  }
  // Closed, so that the maps are on the first screen.
  const list = html('details', {}, html('summary', {}, title, ' ',
      html('span', {text: `${exact(changes.before)} before, ${exact(changes.after)} after: ` +
          `${signed(changes.after - changes.before)} in ` +
          plural(changes.functions.length, 'function')})));
  $('changes').append(list);
  const largest = [...changes.functions].sort((a, b) => growth(b) - growth(a));
  list.append(table([
    ['function', item => '@' + item.function +
        (item.renamedFrom ? ` (was @${item.renamedFrom})` : '')],
    ['before', item => size(item.before), 'num'], ['after', item => size(item.after), 'num'],
    ['change', growth, 'num'],
    ['peak', ({peak}) => peak ? `${peak.before} → ${peak.after}` : '', 'num'], ['new', count(['new']), 'num'],
    ['grew', count(['grew']), 'num'], ['moved', count(['moved']), 'num'],
    ['gone', count(['gone']), 'num'],
    ['stopped sharing', count(['stopped-sharing']), 'num'],
    ['no longer merged', count(['no-longer-merged']), 'num'],
  ], largest, show));
  const buffers = changes.functions.flatMap(item => item.buffers.map(change =>
      ({...change, function: item.function})));
  list.append(lazyTable(
      html('summary', {text: plural(buffers.length, 'buffer') + ' changed'}), [
        ['name', change => change.name],
        ['change', change => changeNames[change.change] +
            (change.reason ? ': ' + change.reason : '')],
        ['bytes', change => change.size, 'num'],
        ['before', change => change.sizeBefore ?? '', 'num'],
        ['function', change => '@' + change.function],
      ], buffers, change => showBuffer(app, change)));
}

// Pin a buffer that changed, in the plan after if it is in a pool there.
function showBuffer(app, change) {
  const place = change.after || change.before;
  const side = change.after ? 'after' : 'before';
  const panel = place && app.panels.find(p =>
      p.model.side === side && p.model.index === place.pool);
  if (panel)
    panel.select(panel.model.buffers[place.buffer]);
}
