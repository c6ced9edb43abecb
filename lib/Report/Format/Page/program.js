// The program over time: what its largest function holds, with all that it calls, in
// one curve. A call takes as many ticks as its callee has.

const holdKinds = [
  ['globals', 'globals of pools', 'class0'], ['pool', 'pools', 'class5'],
  ['stays', 'what stays', 'class1'], ['result', 'results', 'class4'],
  ['call', 'callees', 'class3'], ['scope', 'inner scopes', 'class7'],
];
const holdText = ({what, name, function: callee}) =>
  [what, name, callee && 'of @' + callee].filter(Boolean).join(' ');

class ProgramChart {
  constructor(report) {
    const {program} = report;
    Object.assign(this, {report, program, height: 96,
      holds: program.holds, ticks: [], kinds: []});
    const changes = new Map();
    const change = (tick, kind, size) => {
      const at = changes.get(tick) || {};
      at[kind] = (at[kind] || 0) + size;
      changes.set(tick, at);
    };
    for (const {what, function: callee, begin, end, bytes: size} of this.holds) {
      if (size === 0)
        continue;
      const kind = callee === undefined ? what : 'call';
      change(begin, kind, size);
      change(end, kind, -size);
    }
    this.ticks = [...changes.keys()].sort((a, b) => a - b);
    const held = {};
    // By tick, the bytes of each kind; and the first tick with most of them.
    this.levels = this.ticks.map(tick => {
      for (const [kind, size] of Object.entries(changes.get(tick)))
        held[kind] = (held[kind] || 0) + size;
      return {...held};
    });
    this.kinds = holdKinds.filter(([kind]) => held[kind] !== undefined);
    this.totals = this.levels.map(level =>
        Object.values(level).reduce((sum, size) => sum + size, 0));
    this.peak = this.totals.reduce(
        (peak, total, i) => total > this.totals[peak] ? i : peak, 0);
    this.makeNode();
  }

  makeNode() {
    this.canvas = html('canvas', {'aria-hidden': 'true'});
    const text = this.describe(this.ticks[this.peak]);
    this.node = html('section', {class: 'card', id: 'program',
      'aria-label': 'The program'},
      html('div', {class: 'keys'}, html('div', {},
          html('b', {class: 'mono', text: '@' + this.program.largestFunction}),
          ...this.kinds.map(([, name, colour]) => {
            const box = html('i');
            box.style.background = `var(--${colour})`;
            return html('span', {}, box, name);
          }), ...this.rules().map(([name, level, colour]) =>
            html('span', {}, html('i', {class: 'rule ' + colour}),
              this.isShown(level) ? name : `${name} ${bytes(level)} ↑`)))),
      this.chart = html('div', {class: 'over-time', role: 'img', 'aria-label': text},
          this.canvas),
      html('p', {class: 'soft made-of', text, title: text}));
    this.chart.style.height = this.height + 'px';
    this.chart.addEventListener('pointermove', event => {
      const {x} = this.place(event);
      const tick = Math.floor(this.tickAt(x));
      if (tick >= this.ticks[0] && tick < this.ticks.at(-1))
        showTip('tick ' + number(tick) + this.runningAt(tick), this.partsAt(tick).slice(0, 8).map(hold =>
            [holdText(hold), exact(hold.bytes)]), event.clientX, event.clientY);
      else
        hideTip();
    });
    this.chart.addEventListener('pointerleave', hideTip);
  }

  // What the curve is compared with: name, bytes and the kind of line.
  rules() {
    const {report, program} = this;
    const functions = new Set([program.largestFunction,
      ...this.holds.map(hold => hold.function)]);
    const {capacity} = report.pools.find(pool => pool.capacity !== undefined &&
        functions.has(pool.function)) || {};
    return [[report.baseline || 'as given', program.baselineBytes, 'baseline'],
      ...(capacity === undefined ? [] : [['capacity', capacity, 'capacity']])];
  }
  // A line far above the curve would make it flat.
  isShown(level) {
    return level <= 4 * this.totals[this.peak];
  }
  partsAt(tick) {
    return this.holdsAt(tick).filter(({bytes: size}) => size > 0)
        .sort((a, b) => b.bytes - a.bytes);
  }
  holdsAt(tick) {
    return this.holds.filter(({begin, end}) => begin <= tick && tick < end);
  }
  // The callee that runs: of several, the others call it.
  runningAt(tick) {
    const [callee] = this.holdsAt(tick).filter(({what}) => what === 'call')
        .sort((a, b) => a.end - a.begin - (b.end - b.begin));
    return callee ? ' in ' + callee.name : '';
  }
  describe(tick) {
    const parts = this.partsAt(tick), most = 4;
    const sum = list => list.reduce((total, hold) => total + hold.bytes, 0);
    const rest = parts.slice(most);
    return `Peak of ${bytes(sum(parts))} at tick ${number(tick)}${this.runningAt(tick)}: ` +
        [...parts.slice(0, most).map(hold => `${holdText(hold)} ${bytes(hold.bytes)}`),
          ...(rest.length ? [`${plural(rest.length, 'other')} ${bytes(sum(rest))}`] : [])]
            .join(', ');
  }

  place(event) {
    const box = this.chart.getBoundingClientRect();
    return {x: event.clientX - box.left};
  }
  x(tick) {
    const [first] = this.ticks, last = this.ticks.at(-1);
    return layout.left + (tick - first) / (last - first) * this.w;
  }
  tickAt(x) {
    const [first] = this.ticks, last = this.ticks.at(-1);
    return first + (x - layout.left) / this.w * (last - first);
  }

  draw() {
    const width = Math.max(this.chart.clientWidth, 240), scale = devicePixelRatio || 1;
    const {canvas, height} = this, {colours} = app, bottom = height - 16, top = 4;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
    const context = canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const surface = new CanvasSurface(context);
    surface.rect(0, 0, width, height, colours.card);
    this.w = Math.max(width - layout.left - layout.right, 60);
    const right = layout.left + this.w, peak = this.totals[this.peak];
    const rules = this.rules().filter(([, level]) => this.isShown(level));
    const most = 1.06 * Math.max(peak, ...rules.map(([, level]) => level));
    const y = level => bottom - level / most * (bottom - top);
    // Each kind is on top of those before it.
    const below = this.levels.map(() => 0);
    for (const [kind, , colour] of this.kinds) {
      const up = [], down = [];
      this.levels.forEach((level, i) => {
        const x0 = this.x(this.ticks[i]), x1 = this.x(this.ticks[i + 1] ?? this.ticks[i]);
        down.push([x0, y(below[i])], [x1, y(below[i])]);
        below[i] += level[kind] || 0;
        up.push([x0, y(below[i])], [x1, y(below[i])]);
      });
      surface.area([...up, ...down.reverse()], colours[colour], 1);
    }
    for (const [, level, colour] of rules)
      surface.line([[layout.left, y(level)], [right, y(level)]], colours[colour], 1.5,
          [8, 3]);
    surface.line([[layout.left, bottom], [right, bottom]], colours.soft);
    const x = this.x(this.ticks[this.peak] + .5);
    surface.line([[x, top], [x, bottom]], colours.peak, 1.5, [2, 3]);
    surface.text(layout.left - 6, y(peak) + 4, bytes(peak), colours.soft, 'end');
    surface.text(layout.left - 6, bottom + 3, '0 B', colours.soft, 'end');
    surface.text(right, bottom + 13, 'tick →', colours.soft, 'end');
    surface.text(clamp(x, layout.left + 50, right - 110), bottom + 13,
        'peak at tick ' + number(this.ticks[this.peak]), colours.peak, 'middle');
  }
}
