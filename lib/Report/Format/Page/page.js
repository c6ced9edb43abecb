'use strict';
// Draws the report that is in the page. Text from the report goes into the page
// as text alone (textContent, attributes), never as markup.
(() => {
const report = JSON.parse(document.getElementById('report').textContent);
const $ = id => document.getElementById(id);

// More rectangles than this are drawn as a few paths.
const maxRects = 6000;
const maxLabels = 600;
const maxRows = 500;

function add(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes))
    if (key === 'text')
      node.textContent = value;
    else if (value !== undefined && value !== '')
      node.setAttribute(key, value);
  node.append(...children);
  return node;
}
const html = (tag, attributes = {}, ...children) =>
    add(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
    add(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes,
        children);

const number = n => n.toLocaleString('en-US');
const plural = (n, noun) => number(n) + ' ' + noun + (n === 1 ? '' : 's');
function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = 0, scaled = n;
  while (scaled >= 1024 && unit + 1 < units.length) {
    scaled /= 1024;
    ++unit;
  }
  const digits = unit === 0 || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  return (Number.isInteger(scaled) ? scaled : scaled.toFixed(digits)) + ' ' +
      units[unit];
}
const exact = n => n < 1024 ? bytes(n) : `${bytes(n)} (${number(n)})`;
const percent = (part, whole) =>
    whole ? (100 * part / whole).toFixed(1) + ' %' : '–';

// Buckets of the number of buffers that use some of one's bytes as well.
const reuseSteps = [0, 1, 2, 4, 8, 16];
const reuseNames = ['none', '1 other', '2–3', '4–7', '8–15', '16 or more'];
function reuse(buffer) {
  let step = reuseSteps.length - 1;
  while (reuseSteps[step] > buffer.sharers)
    --step;
  return step;
}

const lifetime = b => `[${b.begin}, ${b.end})`;
function title(pool) {
  const parts = [pool.function && '@' + pool.function,
      pool.scope.endsWith('func') ? '' : pool.scope,
      pool.memorySpace && 'space ' + pool.memorySpace];
  return parts.filter(Boolean).join(' · ');
}
const place = pool => pool.scope + (pool.location ? ' at ' + pool.location : '') +
    (pool.memorySpace ? ', memory space ' + pool.memorySpace : '');

// --- Search -----------------------------------------------------------------

let query = '';
// What of the pool is not explained by the bytes alive at its peak.
function aboveBound(pool) {
  const text = percent(pool.poolSize - pool.lowerBound, pool.lowerBound) +
      ' above the lower bound';
  if (pool.provedBound === pool.lowerBound)
    return text;
  return text + (pool.provedBound === pool.poolSize ? ', optimal: ' : ': ') +
      `alignment and conflicts need ${exact(pool.provedBound)}`;
}
const matches = (item, pool) =>
    (item.name + '\n' + (item.location || '') + '\n' +
     (pool ? pool.function || '' : item.function || ''))
        .toLowerCase().includes(query);

// --- Tooltip ----------------------------------------------------------------

const tip = $('tip');
function showTip(buffer, x, y) {
  const facts = [
    ['type', buffer.type],
    ['bytes', exact(buffer.size)],
    ['lifetime', `${lifetime(buffer)}, ${plural(buffer.end - buffer.begin, 'tick')}`],
    ['offset', `${number(buffer.offset)} to ${number(buffer.offset + buffer.size)}`],
    ['aligned to', number(buffer.alignment)],
    ['shares with', plural(buffer.sharers, 'buffer')],
    ['location', buffer.location],
    ['first access', buffer.firstAccess],
    ['last access', buffer.lastAccess],
  ];
  tip.replaceChildren(
      html('b', {class: 'mono', text: buffer.name}),
      html('dl', {}, ...facts.filter(fact => fact[1]).flatMap(
          ([key, value]) => [html('dt', {text: key}), html('dd', {text: value})])));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16;
  const top = Math.min(y + 12, innerHeight - box.height - 4);
  tip.style.left = Math.max(4, left) + 'px';
  tip.style.top = Math.max(4, top) + 'px';
}

// --- Tables -----------------------------------------------------------------

// Columns are [heading, value of an item, class].
function table(columns, items) {
  const body = html('tbody');
  const box = html('div', {class: 'scroll'}, html('table', {},
      html('thead', {}, html('tr', {}, ...columns.map(
          ([text, , kind]) => html('th', {text, class: kind, scope: 'col'})))),
      body));
  let shown = 0;
  function more() {
    const rows = items.slice(shown, shown + maxRows).map(item => html('tr', {},
        ...columns.map(([, value, kind]) =>
            html('td', {text: value(item), title: value(item), class: kind}))));
    body.append(...rows);
    shown += rows.length;
    button.hidden = shown >= items.length;
    button.textContent = `Show more (${number(items.length - shown)})`;
  }
  const button = html('button', {type: 'button'});
  button.addEventListener('click', more);
  more();
  return html('div', {}, box, button);
}

// A table that is made when it is opened for the first time.
function lazyTable(summary, columns, items) {
  const details = html('details', {}, summary);
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1)
      details.append(table(columns, items));
  });
  return details;
}

// --- Charts -----------------------------------------------------------------

// Round distances between grid lines: 1, 2, 5, 10, ... or powers of two.
function niceStep(range, count, binary) {
  const raw = Math.max(range / count, 1);
  if (binary)
    return 2 ** Math.ceil(Math.log2(raw));
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find(factor => factor * power >= raw);
}

// The multiples of `step` in a range. Counted: near the largest numbers, adding
// a step may change nothing.
function multiples(from, to, step) {
  const first = Math.ceil(from / step);
  return Array.from({length: 60}, (_, i) => (first + i) * step).filter(n => n <= to);
}

class Panel {
  constructor(pool, index) {
    this.pool = pool;
    this.barriers = [];
    this.alive = pool.buffers.filter(
        b => b.begin <= pool.peakTick && pool.peakTick < b.end)
        .sort((a, b) => b.size - a.size);
    this.full = {t0: Infinity, t1: -Infinity, b0: 0, b1: pool.poolSize * 1.07};
    for (const b of pool.buffers) {
      this.full.t0 = Math.min(this.full.t0, b.begin);
      this.full.t1 = Math.max(this.full.t1, b.end);
    }
    this.view = this.full;
    this.height = pool.buffers.length <= 6 ? 250 : 380;
    this.chart = html('div', {class: 'chart'});
    this.chart.style.minHeight = this.height + 'px';
    this.list = html('div', {class: 'alive'});
    this.list.style.maxHeight = this.height + 'px';
    const facts = pool.reason ? `no pool: ${pool.reason} · ` : '';
    this.node = html('section', {class: 'card', id: 'pool-' + (index + 1)},
        html('h2', {class: 'mono', text: title(pool)}),
        html('p', {class: 'soft', text: place(pool)}),
        html('p', {text: facts + plural(pool.buffers.length, 'buffer') +
            ` of ${bytes(pool.totalBytes)} in a pool of ${exact(pool.poolSize)}: ` +
            percent(pool.poolSize, pool.totalBytes) + ' of the bytes, ' +
            aboveBound(pool)}),
        html('div', {class: 'plot'}, this.chart, this.list),
        lazyTable(html('summary', {text: 'All buffers as a table'}), [
          ['name', b => b.name], ['offset', b => number(b.offset), 'num'],
          ['bytes', b => number(b.size), 'num'], ['lifetime', lifetime, 'num'],
          ['shares with', b => number(b.sharers), 'num'],
          ['type', b => b.type], ['location', b => b.location || ''],
          ['first access', b => b.firstAccess || ''],
          ['last access', b => b.lastAccess || ''],
        ], pool.buffers),
        ...this.sync());
    this.node.panel = this;
  }

  // What keeps the threads of a workgroup apart, in words and as a table.
  sync() {
    const {sync, buffers} = this.pool;
    if (!sync)
      return [];
    this.barriers = [
      ...sync.barriers.map((text, i) => ({text,
        x: (sync.barrierTicks || [])[i] + .5, kind: 'barrier'})),
      ...sync.insertedBarriers.map((text, i) => ({text: 'inserted before ' + text,
        x: (sync.insertedBarrierTicks || [])[i], kind: 'barrier inserted'}))];
    const summary = html('summary', {text:
        `${plural(sync.barriers.length, 'barrier')}, ` +
        `${number(sync.insertedBarriers.length)} inserted, ` +
        `${plural(sync.numConflicts, 'pair')} kept apart` +
        (sync.note ? ': ' + sync.note : '')});
    const pairs = lazyTable(summary, [
      ['buffer', c => buffers[c.first].name], ['buffer', c => buffers[c.second].name],
      ['rule', c => c.rule], ['because', c => c.description],
      ['between', c => c.from], ['and', c => c.to],
    ], sync.conflicts);
    pairs.classList.add('sync');
    return [pairs];
  }

  x(tick) {
    return this.left + (tick - this.view.t0) / (this.view.t1 - this.view.t0) * this.w;
  }
  y(offset) {
    return this.top + this.h -
        (offset - this.view.b0) / (this.view.b1 - this.view.b0) * this.h;
  }
  at(event) {
    const box = this.root.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return {x, y,
      tick: this.view.t0 + (x - this.left) / this.w * (this.view.t1 - this.view.t0),
      offset: this.view.b0 +
          (this.top + this.h - y) / this.h * (this.view.b1 - this.view.b0)};
  }
  // The rectangle of `b` on the screen, cut off at the edges of the view.
  box(b) {
    const clampX = x => Math.min(Math.max(x, this.left), this.left + this.w);
    const clampY = y => Math.min(Math.max(y, this.top), this.top + this.h);
    const x = clampX(this.x(b.begin)), y = clampY(this.y(b.offset + b.size));
    return {x, y, width: clampX(this.x(b.end)) - x,
      height: clampY(this.y(b.offset)) - y};
  }

  draw() {
    const width = Math.max(this.chart.clientWidth, 240);
    Object.assign(this, {left: 76, top: 6, w: width - 84, h: this.height - 44});
    this.root = svg('svg', {viewBox: `0 0 ${width} ${this.height}`, role: 'img',
      height: this.height, 'aria-label':
        `Memory map of ${title(this.pool)}: ${this.pool.buffers.length} buffers`});
    this.drawGrid();
    this.drawBuffers();
    this.drawBarriers();
    this.drawLines();
    this.hot = svg('rect', {class: 'hot'});
    this.hot.style.display = 'none';
    this.root.append(this.hot);
    this.addListeners();
    this.chart.replaceChildren(this.root);
    if (this.view !== this.full) {
      const button = html('button', {type: 'button', text: 'Reset zoom'});
      button.addEventListener('click', () => this.zoom(this.full));
      this.chart.append(button);
    }
    this.drawAlive();
  }

  drawGrid() {
    const {t0, t1, b0, b1} = this.view, right = this.left + this.w;
    const bottom = this.top + this.h;
    const step = niceStep(b1 - b0, 7, true);
    for (const b of multiples(b0, b1, step))
      this.root.append(
          svg('line', {class: 'grid', x1: this.left, x2: right, y1: this.y(b), y2: this.y(b)}),
          svg('text', {x: this.left - 6, y: this.y(b) + 4, 'text-anchor': 'end',
            text: bytes(b)}));
    const ticks = niceStep(t1 - t0, Math.max(2, this.w / 90), false);
    for (const t of multiples(t0, t1, ticks))
      this.root.append(
          svg('line', {class: 'grid', x1: this.x(t), x2: this.x(t), y1: this.top, y2: bottom}),
          svg('text', {x: this.x(t), y: bottom + 15, 'text-anchor': 'middle',
            text: number(t)}));
    this.root.append(
        svg('path', {class: 'axis', fill: 'none',
          d: `M${this.left},${this.top}V${bottom}H${right}`}),
        svg('text', {x: right, y: bottom + 30, 'text-anchor': 'end', text: 'tick →'}),
        svg('text', {x: this.left, y: bottom + 30, text: 'byte offset ↑'}));
  }

  drawBuffers() {
    const visible = this.pool.buffers.filter(b =>
        b.end > this.view.t0 && b.begin < this.view.t1 &&
        b.offset + b.size > this.view.b0 && b.offset < this.view.b1);
    const asPaths = visible.length > maxRects, paths = new Map();
    const labels = [];
    for (const b of visible) {
      const {x, y, width, height} = this.box(b);
      let kind = 'buffer reuse' + reuse(b);
      if (query)
        kind += matches(b, this.pool) ? ' match' : ' dim';
      if (asPaths) {
        const w = Math.max(width, .6).toFixed(2), h = Math.max(height, .6).toFixed(2);
        if (!paths.has(kind))
          paths.set(kind, []);
        paths.get(kind).push(`M${x.toFixed(2)},${y.toFixed(2)}h${w}v${h}h-${w}z`);
      } else {
        this.root.append(svg('rect', {
          class: kind + (Math.min(width, height) < 4 ? ' packed' : ''),
          x: x.toFixed(2), y: y.toFixed(2), width: Math.max(width, .8).toFixed(2),
          height: Math.max(height, .8).toFixed(2)}));
      }
      if (width >= 34 && height >= 13 && labels.length < maxLabels)
        labels.push({b, x, y, width, height, dim: kind.endsWith('dim')});
    }
    for (const [kind, parts] of paths)
      this.root.append(svg('path', {class: kind + ' packed', d: parts.join('')}));
    for (const {b, x, y, width, height, dim} of labels) {
      const room = Math.floor((width - 8) / 6.7);
      const text = b.name.length > room ? b.name.slice(0, room - 1) + '…' : b.name;
      const kind = `label on${reuse(b)}` + (dim ? ' dim' : '');
      const two = height >= 30 && room >= 7;
      this.root.append(svg('text', {class: kind, x: x + 4,
        y: y + height / 2 + (two ? -3 : 4), text}));
      if (two)
        this.root.append(svg('text', {class: kind, x: x + 4, y: y + height / 2 + 11,
          text: bytes(b.size)}));
    }
  }

  // A thin line each, with a tooltip of the browser.
  drawBarriers() {
    for (const {text, x: tick, kind} of this.barriers.slice(0, maxRects)) {
      if (!(tick >= this.view.t0 && tick <= this.view.t1))
        continue;
      const x = this.x(tick).toFixed(2);
      this.root.append(svg('line', {class: kind, x1: x, x2: x, y1: this.top,
        y2: this.top + this.h}, svg('title', {text})));
    }
  }

  drawLines() {
    const pool = this.pool, right = this.left + this.w, bottom = this.top + this.h;
    const isTight = pool.lowerBound === pool.poolSize;
    const rule = (kind, offset, text, anchor) => {
      const y = this.y(offset);
      if (y < this.top || y > bottom)
        return;
      this.root.append(
          svg('line', {class: kind, x1: this.left, x2: right, y1: y, y2: y}),
          svg('text', {class: kind, 'text-anchor': anchor, text,
            x: anchor === 'end' ? right - 4 : this.left + 6, y: Math.max(y - 4, 11)}));
    };
    rule('pool', pool.poolSize, 'pool ' + bytes(pool.poolSize), 'start');
    rule('bound', pool.lowerBound, 'lower bound ' + bytes(pool.lowerBound) +
        (isTight ? ' = pool' : ''), 'end');
    if (pool.peakTick < this.view.t0 || pool.peakTick >= this.view.t1)
      return;
    const x = this.x(pool.peakTick), next = Math.min(this.x(pool.peakTick + 1), right);
    this.root.append(
        svg('rect', {class: 'peakband', x, y: this.top, height: this.h,
          width: Math.max(next - x, 1)}),
        svg('line', {class: 'peak', x1: x, x2: x, y1: this.top, y2: bottom + 18}),
        svg('text', {class: 'peak', y: bottom + 30, text: 'peak at tick ' + pool.peakTick,
          'text-anchor': 'middle', x: Math.min(Math.max(x, this.left + 150), right - 110)}));
  }

  drawAlive() {
    if (this.list.children.length)
      return;
    const {pool, alive} = this;
    const sum = alive.reduce((total, b) => total + b.size, 0);
    this.list.append(
        html('h3', {text: `Alive at tick ${pool.peakTick}: ` +
            `${plural(alive.length, 'buffer')}, ${bytes(sum)}`}),
        html('ol', {}, ...alive.slice(0, 200).map(b => {
          const bar = html('i');
          bar.style.width = 100 * b.size / alive[0].size + '%';
          const item = html('li', {title: [b.name, b.type].filter(Boolean).join(': ')},
              html('div', {}, html('span', {class: 'name', text: b.name}),
                  html('span', {class: 'soft', text: bytes(b.size)})),
              html('span', {class: 'bar'}, bar));
          item.addEventListener('pointerenter', () => this.highlight(b));
          item.addEventListener('pointerleave', () => this.highlight(null));
          return item;
        })));
    if (alive.length > 200)
      this.list.append(html('p', {text: `and ${number(alive.length - 200)} smaller ones`}));
  }

  find({tick, offset}) {
    return this.pool.buffers.find(b => b.begin <= tick && tick < b.end &&
        b.offset <= offset && offset < b.offset + b.size);
  }

  highlight(buffer) {
    this.hot.style.display = buffer ? '' : 'none';
    if (buffer)
      for (const [key, value] of Object.entries(this.box(buffer)))
        this.hot.setAttribute(key, Math.max(value, 0));
  }

  zoom(view) {
    this.view = view;
    tip.hidden = true;
    this.draw();
  }

  // Hovering shows a buffer, dragging zooms in, a double click zooms out.
  addListeners() {
    let from = null;
    const box = svg('rect', {class: 'select'});
    const range = (a, b) => [Math.min(a, b), Math.max(a, b)];
    this.root.addEventListener('pointerdown', event => {
      if (event.button === 0 && event.pointerType !== 'touch')
        from = this.at(event);
    });
    this.root.addEventListener('pointermove', event => {
      const here = this.at(event);
      const buffer = from && event.buttons ? null : this.find(here);
      this.highlight(buffer);
      if (buffer)
        showTip(buffer, event.clientX, event.clientY);
      else
        tip.hidden = true;
      if (!from || !event.buttons) {
        from = null;
        box.remove();
        return;
      }
      const [x0, x1] = range(from.x, here.x), [y0, y1] = range(from.y, here.y);
      add(box, {x: x0, y: y0, width: x1 - x0, height: y1 - y0}, []);
      this.root.append(box);
    });
    this.root.addEventListener('pointerup', event => {
      if (!from)
        return;
      const to = this.at(event), start = from;
      from = null;
      box.remove();
      const wide = Math.abs(to.x - start.x) > 8, high = Math.abs(to.y - start.y) > 8;
      const [t0, t1] = range(start.tick, to.tick), [b0, b1] = range(start.offset, to.offset);
      if (wide || high)
        this.zoom({
          t0: wide ? Math.max(Math.floor(t0), this.full.t0) : this.view.t0,
          t1: wide ? Math.min(Math.ceil(t1), this.full.t1) : this.view.t1,
          b0: high ? Math.max(b0, 0) : this.view.b0,
          b1: high ? Math.min(b1, this.full.b1) : this.view.b1,
        });
    });
    this.root.addEventListener('dblclick', () => this.zoom(this.full));
    this.root.addEventListener('pointerleave', () => {
      tip.hidden = true;
      this.highlight(null);
    });
  }
}

// --- The page ---------------------------------------------------------------

const panels = report.pools.map((pool, index) => new Panel(pool, index));
const leftGroups = report.left.map(group => ({
  group, bytes: group.buffers.reduce((total, b) => total + b.size, 0)}));

function makeSummary() {
  const totals = report.totals;
  const made = report.pools.filter(pool => !pool.reason);
  const bound = made.reduce((total, pool) => total + pool.lowerBound, 0);
  const tile = (text, value) =>
      html('div', {}, html('b', {text: value}), html('span', {class: 'soft', text}));
  $('tiles').append(
      tile(plural(totals.merged, 'allocation') + ' merged', bytes(totals.mergedBytes)),
      tile('in ' + plural(made.length, 'pool'), bytes(totals.poolBytes)),
      tile('saved', percent(totals.mergedBytes - totals.poolBytes, totals.mergedBytes)),
      tile('above the lower bound', percent(totals.poolBytes - bound, bound)),
      tile(plural(totals.left, 'allocation') + ' left alone', bytes(totals.leftBytes)),
      tile('scheduler', report.scheduler));
  const keys = $('keys');
  keys.append('Shares its bytes with:');
  reuseNames.forEach((text, step) => {
    const swatch = html('i');
    swatch.style.background = `var(--reuse${step})`;
    keys.append(html('span', {}, swatch, text));
  });
  const rules = [['pool', 'pool'], ['bound', 'lower bound'], ['peak', 'peak']];
  if (report.pools.some(pool => pool.sync))
    rules.push(['barrier', 'barrier'], ['barrier inserted', 'inserted barrier']);
  for (const [kind, text] of rules)
    keys.append(html('span', {}, html('i', {class: 'rule ' + kind}), text));
  keys.append(html('span', {class: 'soft', text: 'Drag to zoom, double click to reset.'}));
}

function makeIndex() {
  const entries = panels.map((panel, index) => {
    const pool = panel.pool, bar = html('i');
    bar.style.width = 100 * pool.poolSize / Math.max(pool.totalBytes, pool.poolSize) + '%';
    panel.count = html('span', {class: 'soft'});
    panel.entry = html('a', {href: '#pool-' + (index + 1), title: place(pool)},
        html('span', {class: 'name', text: title(pool)}), panel.count,
        html('span', {class: 'bar'}, bar));
    return panel;
  });
  const order = {
    program: () => 0,
    bytes: (a, b) => b.pool.poolSize - a.pool.poolSize,
    saved: (a, b) => (b.pool.totalBytes - b.pool.poolSize) -
        (a.pool.totalBytes - a.pool.poolSize),
    waste: (a, b) => (b.pool.poolSize - b.pool.provedBound) -
        (a.pool.poolSize - a.pool.provedBound),
  };
  const sort = () => $('index').replaceChildren(
      ...[...entries].sort(order[$('sort').value]).map(panel => panel.entry));
  $('sort').addEventListener('change', sort);
  sort();
}

function makeLeft() {
  $('left').hidden = !report.left.length;
  $('left').append(
      html('h2', {text: 'Left alone'}),
      html('p', {class: 'soft', text: plural(report.totals.left, 'allocation') +
          ` of ${exact(report.totals.leftBytes)}, by reason`}),
      ...leftGroups.map(({group, bytes: sum}) => {
        const summary = html('summary', {},
            html('b', {class: 'mono', text: group.reason}),
            ` ${plural(group.buffers.length, 'allocation')}, ${bytes(sum)}: ` +
                group.description + (group.advice ? '. Advice: ' + group.advice : ''));
        return lazyTable(summary, [
          ['name', b => b.name], ['bytes', b => b.size ? number(b.size) : '?', 'num'],
          ['type', b => b.type], ['function', b => b.function || ''],
          ['location', b => b.location || ''], ['because of', b => b.operation || ''],
        ], group.buffers);
      }));
}

function search(text) {
  query = text.trim().toLowerCase();
  let found = 0, pools = 0;
  for (const panel of panels) {
    const count = query
        ? panel.pool.buffers.filter(b => matches(b, panel.pool)).length
        : panel.pool.buffers.length;
    panel.found = count;
    found += count;
    pools += count > 0;
    panel.entry.hidden = query && !count;
    panel.count.textContent = `${bytes(panel.pool.poolSize)} · ` +
        (query ? number(count) + ' of ' : '') +
        plural(panel.pool.buffers.length, 'buffer');
    if (panel.root)
      panel.draw();
  }
  let left = 0;
  if (query)
    for (const {group} of leftGroups)
      left += group.buffers.filter(b => matches(b)).length;
  $('found').textContent = !query ? '' :
      `${plural(found, 'buffer')} in ${plural(pools, 'pool')}` +
      (left ? `, ${number(left)} left alone` : '');
}

makeSummary();
makeIndex();
makeLeft();
$('pools').append(...panels.map(panel => panel.node));
search('');

// What is on the screen is drawn at once, any other chart when it comes near.
for (const panel of panels) {
  if (panel.node.getBoundingClientRect().top > innerHeight)
    break;
  panel.draw();
}
const observer = new IntersectionObserver(entries => {
  for (const {isIntersecting, target} of entries)
    if (isIntersecting && !target.panel.root)
      target.panel.draw();
}, {rootMargin: '400px'});
panels.forEach(panel => observer.observe(panel.node));

let pending = 0;
const later = action => {
  clearTimeout(pending);
  pending = setTimeout(action, 120);
};
addEventListener('resize', () => later(() => {
  for (const panel of panels)
    if (panel.root)
      panel.draw();
}));
$('search').addEventListener('input', () => later(() => search($('search').value)));

// Enter goes from pool to pool with a match.
let current = -1;
$('search').addEventListener('keydown', event => {
  if (event.key !== 'Enter')
    return;
  search($('search').value);
  for (let step = 1; step <= panels.length; ++step) {
    const panel = panels[(current + step) % panels.length];
    if (!panel.found)
      continue;
    current = (current + step) % panels.length;
    panel.node.scrollIntoView({block: 'start'});
    return;
  }
});
})();
