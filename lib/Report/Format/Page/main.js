// The page: reads the data in it, makes a panel for each pool, and keeps what all
// of them have in common: colours, the search, and the link to what is shown.

const read = id => $(id) && JSON.parse($(id).textContent);

const app = {
  report: read('report'), before: read('report-before'),
  changes: read('report-changes'),
  colours: readColours(), mode: 'operation', legend: null, filter: null,
  query: '', words: [], panels: [], active: null, isRestoring: false,

  matches: (model, b) => {
    const text = model.textOf(b);
    return app.words.every(word => text.includes(word));
  },
  redraw() {
    if (app.program)
      app.program.draw();
    for (const panel of app.panels)
      if (panel.painter)
        panel.requestDraw();
  },
  // For screen readers.
  announce: debounce(text => $('status').textContent = text, 150),
  changed(panel) {
    if (panel)
      app.active = panel;
    app.remember();
  },
  remember: debounce(() => writeHash(app), 200),

  setMode(mode) {
    app.mode = Object.hasOwn(colourModes, mode) ? mode : 'operation';
    app.legend = colourModes[app.mode][1](app.panels.map(panel => panel.model));
    app.filter = null;
    $('colour').value = app.mode;
    makeLegend();
    app.redraw();
  },
  showIndex() {
    for (const panel of app.panels) {
      const {model, entry, count} = panel;
      const found = app.query && model.buffers.filter(b => app.matches(model, b)).length;
      entry.hidden = app.query !== '' && !found;
      count.textContent = `${bytes(model.pool.poolSize)} · ` +
          (app.query ? number(found) + ' of ' : '') + plural(model.buffers.length, 'buffer');
    }
  },
};

// --- What is above the panels -------------------------------------------------

// One line: what all allocations take, the program without pools and as planned,
// and the difference between these. Of two plans, both, and the difference of what
// is planned. A report that knows no program has sums of what it knows.
function makeSummary() {
  const amounts = ({totals, program, baseline}) => program
      ? {allocated: program.allocatedBytes,
        [baseline || 'as given']: program.baselineBytes, planned: program.peakBytes}
      : {allocated: totals.mergedBytes + totals.leftBytes,
        planned: totals.poolBytes + totals.leftBytes};
  const after = amounts(app.report), before = app.before && amounts(app.before);
  const item = (text, value, title) => html('span', {title},
      html('span', {class: 'soft', text}), ' ', html('b', {text: value}));
  const without = app.report.runtimePools?.length ? ', with 0 for sizes of run time' : '';
  for (const [text, value] of Object.entries(after))
    $('summary').append(item(text + (text === 'planned' ? without : ''), before && before[text] !== undefined
        ? `${bytes(before[text])} → ${bytes(value)}` : bytes(value), number(value)));
  const from = before ? before.planned : Object.values(after).at(-2);
  const change = after.planned - from;
  $('summary').append(item('difference',
      `${signed(change)} (${change > 0 ? '+' : ''}${percent(change, from)})`
          .replace('(-', '(−'), number(change)));
}

// What would lower the peak of the program, as describeAdvice of the text says it.
function makeAdvice() {
  const {program} = app.report, advice = (program || {}).advice || [];
  $('advice').hidden = !advice.length;
  $('advice').append(html('h2', {text: 'What would lower the peak'}),
      html('ol', {class: 'advice'}, ...advice.map(({change, savedBytes, merged}) =>
          html('li', {text: [
            savedBytes && `saves ${exact(savedBytes)} (${percent(savedBytes, program.peakBytes)})` +
                ' of the program\'s peak',
            merged && `merges ${plural(merged, 'more allocation')} of run-time size`,
          ].filter(Boolean).join(', and ') + ': ' + change}))));
}

function makeLegend() {
  const swatch = (entry, i) => {
    const box = html('i');
    box.style.background = app.colours[entry.colour];
    return html('button', {type: 'button', class: 'key', 'aria-pressed':
        String(app.filter === i), title: `${plural(entry.count, 'buffer')} of ` +
        bytes(entry.bytes), onclick: () => {
      app.filter = app.filter === i ? null : i;
      [...$('legend').children].forEach((key, other) =>
          key.setAttribute('aria-pressed', String(app.filter === other)));
      app.redraw();
    }}, box, entry.text, html('span', {class: 'soft', text: bytes(entry.bytes)}));
  };
  $('legend').replaceChildren(...app.legend.entries.map(swatch));
  const {pools} = app.report;
  if (!pools.length) {
    const {left, runtimePools} = app.report;
    $('lines').replaceChildren(left.length || runtimePools?.length
        ? '' : 'Nothing is allocated that could be merged.');
    return;
  }
  const lines = [['live', 'bytes alive'], ['pool', 'pool'], ['bound', 'lower bound'],
    ['peak', 'peak']];
  if (app.panels.some(panel => panel.model.left))
    lines.push(['stays', 'pool and what stays']);
  if (pools.some(pool => pool.baselineBytes !== undefined))
    lines.push(['baseline', app.report.baseline || 'as given']);
  if (pools.some(pool => pool.capacity !== undefined || pool.regions))
    lines.push(['capacity', 'capacity, regions']);
  if (pools.some(pool => pool.sync))
    lines.push(['barrier', 'barrier'], ['barrier inserted', 'inserted barrier']);
  if (pools.some(pool => pool.buffers.some(b => b.inPlaceOf || b.inPlaceOfAny)))
    lines.push(['inplace', 'in place']);
  $('lines').replaceChildren(...lines.map(([kind, text]) =>
      html('span', {}, html('i', {class: 'rule ' + kind}), text)));
}

function makeColours() {
  const {pools} = app.report;
  const isUseful = {
    change: Boolean(app.changes),
    region: pools.some(pool => pool.regions || pool.memorySpace),
  };
  for (const [mode, [text]] of Object.entries(colourModes))
    if (isUseful[mode] !== false)
      $('colour').append(html('option', {value: mode, text}));
  $('colour').addEventListener('change', () => {
    app.setMode($('colour').value);
    app.changed();
  });
}

function makeIndex() {
  const entries = app.panels.map(panel => {
    const {model} = panel, bar = html('i');
    bar.style.width = 100 * model.pool.poolSize /
        Math.max(model.pool.totalBytes, model.pool.poolSize) + '%';
    panel.count = html('span', {class: 'soft'});
    panel.entry = html('a', {href: '#pool=' + model.key, title: model.place,
      onclick: event => {
        event.preventDefault();
        panel.node.scrollIntoView({block: 'start'});
        panel.chart.focus({preventScroll: true});
        app.changed(panel);
      }},
      html('span', {class: 'name', text: model.title}), panel.count,
      html('span', {class: 'bar'}, bar));
    return panel;
  });
  const pool = panel => panel.model.pool;
  const order = {
    program: () => 0,
    bytes: (a, b) => pool(b).poolSize - pool(a).poolSize,
    saved: (a, b) => (pool(b).totalBytes - pool(b).poolSize) -
        (pool(a).totalBytes - pool(a).poolSize),
    waste: (a, b) => (pool(b).poolSize - pool(b).provedBound) -
        (pool(a).poolSize - pool(a).provedBound),
  };
  const sort = () => $('index').replaceChildren(
      ...[...entries].sort(order[$('sort').value]).map(panel => panel.entry));
  $('sort').addEventListener('change', sort);
  sort();
  if (app.panels.length < 2)
    document.body.classList.add('single');
}

function makeRuntime() {
  const pools = app.report.runtimePools || [];
  $('runtime').hidden = !pools.length;
  $('runtime').append(
      html('h2', {text: 'Pools of run-time size'}),
      html('p', {class: 'soft', text: plural(pools.length, 'pool') + ' of ' +
          plural(pools.reduce((sum, pool) => sum + pool.buffers.length, 0), 'buffer') +
          ', above with 0 for sizes of run time'}),
      ...pools.map(pool => {
        const summary = html('summary', {},
            html('b', {class: 'mono', text: pool.function || ''}),
            ` ${plural(pool.buffers.length, 'buffer')} in `,
            html('span', {class: 'mono', text: pool.bytes}),
            pool.aliveBytes === pool.bytes ? ' bytes' : ' bytes, alive at most ',
            html('span', {class: 'mono',
              text: pool.aliveBytes === pool.bytes ? '' : pool.aliveBytes}));
        return lazyTable(summary, [
          ['name', b => b.name], ['bytes', b => b.size || '?', 'num'],
          ['type', b => b.type], ['location', b => b.location || ''],
        ], pool.buffers);
      }));
}

function makeLeft() {
  const {left, totals} = app.report;
  $('left').hidden = !left.length;
  $('left').append(
      html('h2', {text: 'Left alone'}),
      html('p', {class: 'soft', text: plural(totals.left, 'allocation') +
          ` of ${exact(totals.leftBytes)}, by reason`}),
      ...left.map(group => {
        const sum = group.buffers.reduce((total, b) => total + b.size, 0);
        const summary = html('summary', {},
            html('b', {class: 'mono', text: group.reason}),
            ` ${plural(group.buffers.length, 'allocation')}, ${bytes(sum)}: ` +
                group.description + (group.advice ? '. Advice: ' + group.advice : ''));
        return lazyTable(summary, [
          ['name', b => b.name], ['bytes', b => b.size || '?', 'num'],
          ['type', b => b.type], ['function', b => b.function || ''],
          ['location', b => b.location || '', 'path'],
          ['because of', b => b.operation || '', 'path'],
        ], group.buffers);
      }));
}

// --- A link to what is shown --------------------------------------------------

function writeHash() {
  if (app.isRestoring)
    return;
  const state = new URLSearchParams(), panel = app.active;
  if (app.mode !== (app.changes ? 'change' : 'operation'))
    state.set('colour', app.mode);
  if (app.query)
    state.set('q', $('search').value.trim());
  if (panel) {
    const {view, model, at, pinned} = panel;
    state.set('pool', model.key);
    state.set('tick', at);
    if (pinned)
      state.set('buffer', pinned.index);
    if (!panel.isWhole())
      state.set('view', [view.t0, view.t1, view.b0, view.b1]
          .map(n => +n.toFixed(2)).join(','));
  }
  const hash = '#' + state.toString().replaceAll('%2C', ',');
  if (hash !== location.hash && hash + location.hash !== '#')
    history.replaceState(null, '', hash);
}

const readState = () => new URLSearchParams(location.hash.slice(1));

function readMode() {
  app.setMode(readState().get('colour') || (app.changes ? 'change' : 'operation'));
}

function readHash() {
  const state = readState();
  app.isRestoring = true;
  $('search').value = state.get('q') || '';
  app.search.run($('search').value);
  const panel = app.panels.find(p => p.model.key === state.get('pool'));
  if (panel) {
    const view = (state.get('view') || '').split(',').map(Number);
    const [t0, t1, b0, b1] = view;
    panel.zoom(view.length === 4 && view.every(isFinite) && t0 < t1 && b0 < b1
        ? {t0, t1, b0, b1} : panel.model.full);
    if (state.has('tick'))
      panel.goTo(Number(state.get('tick')));
    panel.pin(panel.model.buffers[state.get('buffer') ?? -1] || null);
    if (panel.node.getBoundingClientRect().top > innerHeight / 2)
      panel.node.scrollIntoView({block: 'start'});
  }
  app.isRestoring = false;
}

// --- Start --------------------------------------------------------------------

// A module without a name has that of its file.
function shortenTitle() {
  const title = document.querySelector('h1'), {module} = app.report;
  title.title = title.textContent;
  if (module)
    title.textContent = title.textContent.replace(module, () => cutLeft(module, 40));
}

// The panels in their order; two of which one replaces the other are side by side.
function placePanels() {
  const nodeOf = new Map(app.panels.map(panel => [panel.model, panel.node]));
  return app.panels.flatMap(({model, node}) =>
      !model.pair ? [node] : model.side === 'before' ? []
          : [html('div', {class: 'pair'}, nodeOf.get(model.pair), node)]);
}

// The first map is on the first screen as a whole, if that has room for it.
function fitHeights() {
  if (!app.panels.length)
    return;
  const {top} = document.querySelector('.chart').getBoundingClientRect();
  const room = innerHeight - (top + scrollY) - 8;
  for (const panel of app.panels)
    panel.setHeight(clamp(room, 280, panel.height));
}

function start() {
  shortenTitle();
  if (app.changes) {
    app.changes = withoutIdleMoves(app.changes);
    markChanges(app.changes, app.report, app.before);
  }
  const models = app.changes ? interleave(app.changes, app.report, app.before)
      : app.report.pools.map((pool, index) => new Pool(pool, index, 'after'));
  shareAxes(models);
  app.panels = models.map(model => new Panel(model, app));
  for (const panel of app.panels)
    panel.group = app.panels.filter(other => other !== panel &&
        panel.model.group.includes(other.model));
  makeSummary();
  makeAdvice();
  makeColours();
  makeIndex();
  makeRuntime();
  makeLeft();
  if (app.changes)
    makeChanges(app);
  if ((app.report.program || {}).holds)
    app.program = new ProgramChart(app.report);
  if (app.program)
    $('pools').before(app.program.node);
  $('pools').append(...placePanels());
  app.search = new Search(app);
  app.showIndex();
  // The legend is above the maps.
  readMode();
  fitHeights();
  readHash();

  // What is on the screen is drawn at once, any other chart when it comes near.
  // A chart that is far away gives its memory back.
  for (const panel of app.panels) {
    if (panel.node.getBoundingClientRect().top > innerHeight)
      break;
    panel.draw();
  }
  requestAnimationFrame(() => performance.mark('drawn'));
  const observer = new IntersectionObserver(entries => {
    for (const {isIntersecting, target} of entries)
      if (!isIntersecting)
        target.panel.release();
      else if (!target.panel.painter)
        target.panel.draw();
  }, {rootMargin: '400px'});
  app.panels.forEach(panel => observer.observe(panel.node));
  addEventListener('resize', debounce(() => app.redraw(), 120));
  addEventListener('hashchange', () => {
    readMode();
    readHash();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    app.colours = readColours();
    makeLegend();
    app.redraw();
  });
  addEventListener('keydown', event => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.key === '/') {
      event.preventDefault();
      $('search').focus();
    } else if (event.key === '?') {
      $('help').showModal();
    }
  });
  $('showhelp').addEventListener('click', () => $('help').showModal());
}
start();
