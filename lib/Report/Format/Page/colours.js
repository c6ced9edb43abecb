// What the colours of buffers mean. A mode gives each buffer an entry of the
// legend. Classes have colours of a categorical palette, the largest first and
// the rest grey; amounts have those of a palette that is ordered by lightness.
// The colours are in page.css, for light and dark pages.

const classColours = 9;
const amountColours = 6;

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const read = name => style.getPropertyValue('--' + name).trim();
  const colours = {};
  for (const name of ['card', 'ink', 'soft', 'grid', 'line', 'link', 'bound', 'peak',
      'capacity', 'baseline', 'live', 'rest', 'same', 'new', 'grew', 'shrank', 'moved', 'gone'])
    colours[name] = read(name);
  for (let i = 0; i < classColours; ++i)
    colours['class' + i] = read('class' + i);
  for (let i = 0; i < amountColours; ++i)
    colours['amount' + i] = read('amount' + i);
  return colours;
}

function luminance(colour) {
  const channels = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16) / 255)
      .map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
  return .2126 * channels[0] + .7152 * channels[1] + .0722 * channels[2];
}
// Black or white, whichever can be read better on `colour`.
const inkOn = colour => luminance(colour) > .179 ? '#000000' : '#ffffff';

// One entry for each value of `key`, ordered by bytes.
function byClass(pools, key, noun) {
  const sums = new Map();
  for (const pool of pools)
    for (const b of pool.buffers) {
      const value = key(b) || 'unknown';
      const sum = sums.get(value) || {count: 0, bytes: 0};
      ++sum.count;
      sum.bytes += b.size;
      sums.set(value, sum);
    }
  const order = [...sums].sort((a, b) => b[1].bytes - a[1].bytes ||
      (a[0] < b[0] ? -1 : 1));
  const most = order.length > classColours ? classColours - 1 : classColours;
  const entries = order.slice(0, most).map(([text, sum], i) =>
      ({text, ...sum, colour: 'class' + i}));
  const rest = order.slice(most);
  if (rest.length)
    entries.push({text: 'other ' + plural(rest.length, noun), colour: 'rest',
      count: rest.reduce((sum, item) => sum + item[1].count, 0),
      bytes: rest.reduce((sum, item) => sum + item[1].bytes, 0)});
  const index = new Map(order.map(([text], i) =>
      [text, Math.min(i, entries.length - 1)]));
  return {entries, of: b => index.get(key(b) || 'unknown')};
}

// Up to six entries with about as many buffers each.
function byAmount(pools, key, describe) {
  const values = pools.flatMap(pool => pool.buffers.map(key)).sort((a, b) => a - b);
  const limits = [];
  for (let i = 1; i <= amountColours; ++i) {
    const limit = values[Math.ceil(values.length * i / amountColours) - 1];
    if (limit !== limits.at(-1))
      limits.push(limit);
  }
  const of = b => {
    const value = key(b);
    return limits.findIndex(limit => value <= limit);
  };
  const entries = limits.map((limit, i) => {
    const spread = limits.length === 1 ? 3 : Math.round(
        i * (amountColours - 1) / (limits.length - 1));
    const from = i ? values.find(value => value > limits[i - 1]) : values[0];
    return {text: from === limit ? describe(from)
        : describe(from) + ' – ' + describe(limit),
      colour: 'amount' + spread, count: 0, bytes: 0};
  });
  for (const pool of pools)
    for (const b of pool.buffers) {
      const entry = entries[of(b)];
      ++entry.count;
      entry.bytes += b.size;
    }
  return {entries, of};
}

// The entries of `legend` in the order in which their first buffers begin.
function byTime(legend, pools) {
  const first = legend.entries.map(() => Infinity);
  for (const pool of pools)
    for (const b of pool.buffers)
      first[legend.of(b)] = Math.min(first[legend.of(b)], b.begin);
  const order = legend.entries.map((_, i) => i)
      .sort((a, b) => first[a] - first[b] || a - b);
  const place = [];
  order.forEach((i, rank) => place[i] = rank);
  return {entries: order.map(i => legend.entries[i]), of: b => place[legend.of(b)]};
}

// Scopes of names; without them, a few ranges of lines.
function byLayer(pools) {
  return byTime(byScope(pools), pools);
}
function byScope(pools) {
  const buffers = pools.flatMap(pool => pool.buffers);
  if (new Set(buffers.map(b => b.scope)).size > 1)
    return byClass(pools, b => b.scope || 'no scope', 'layer');
  const lineOf = b => {
    const match = /:(\d+):\d+$/.exec(b.location || '');
    return match ? Number(match[1]) : NaN;
  };
  const lines = buffers.map(lineOf).filter(line => !isNaN(line))
      .sort((a, b) => a - b);
  if (!lines.length)
    return byClass(pools, () => 'no location', 'layer');
  const limits = Array.from({length: classColours - 1}, (_, i) =>
      lines[Math.ceil(lines.length * (i + 1) / (classColours - 1)) - 1]);
  return byClass(pools, b => {
    const i = limits.findIndex(limit => lineOf(b) <= limit);
    return i < 0 ? 'no location'
        : `lines ${i ? limits[i - 1] + 1 : lines[0]}–${limits[i]}`;
  }, 'layer');
}

const changeNames = {
  'new': 'new', grew: 'grew', shrank: 'shrank', moved: 'moved', gone: 'gone',
  merged: 'merged now', 'no-longer-merged': 'no longer merged',
  'stopped-sharing': 'stopped sharing',
};
const changeColours = {
  'new': 'new', merged: 'new', grew: 'grew', 'stopped-sharing': 'grew',
  shrank: 'shrank', moved: 'moved', gone: 'gone', 'no-longer-merged': 'gone',
};
function byChange(pools) {
  const present = new Map();
  for (const pool of pools)
    for (const b of pool.buffers) {
      const entry = present.get(b.change || '') || {count: 0, bytes: 0,
        text: changeNames[b.change] || 'unchanged',
        colour: changeColours[b.change] || 'same'};
      // What is in both plans counts once.
      if (pool.side === 'after' || b.change === 'gone') {
        ++entry.count;
        entry.bytes += b.size;
      }
      present.set(b.change || '', entry);
    }
  const keys = [...present.keys()];
  return {entries: [...present.values()], of: b => keys.indexOf(b.change || '')};
}

const colourModes = {
  change: ['change', byChange],
  operation: ['operation', pools => byClass(pools, b => b.operation, 'operation')],
  layer: ['layer', byLayer],
  size: ['size', pools => byAmount(pools, b => b.size, bytes)],
  age: ['age', pools => byAmount(pools, b => b.age, n => plural(n, 'tick'))],
  sharing: ['sharing', pools => byAmount(pools, b => b.sharers,
      n => plural(n, 'sharer'))],
  region: ['region', pools => byClass(pools, b => b.region, 'region')],
};
