// The card of a pool: the chart, what is beside it, and its tables. A panel has
// the state of its view: which ticks and offsets, the tick that is looked at, and
// the buffer that is pinned.

class Panel {
  constructor(model, app) {
    Object.assign(this, {model, app, at: model.pool.peakTick, pinned: null,
      hovered: null, view: model.full, selection: null});
    const {pool} = model, {sync} = pool;
    model.left = model.leftBytes(model.side === 'before' ? app.before : app.report);
    this.barriers = !sync ? [] : [
      ...sync.barriers.map((text, i) => ({text, isInserted: false,
        tick: (sync.barrierTicks || [])[i]})),
      ...sync.insertedBarriers.map((text, i) => ({text: 'inserted before ' + text,
        isInserted: true, tick: (sync.insertedBarrierTicks || [])[i]}))];
    this.height = model.buffers.length <= 6 ? 420 : 540;
    this.base = html('canvas', {'aria-hidden': 'true'});
    this.overlay = html('canvas', {'aria-hidden': 'true'});
    this.chart = html('div', {class: 'chart', tabindex: 0, role: 'application',
      'aria-roledescription': 'memory map', 'aria-describedby': 'keyhelp',
      'aria-label': `Memory map of ${model.title}: ` +
          `${plural(model.buffers.length, 'buffer')}, pool of ${bytes(pool.poolSize)}, ` +
          `peak at tick ${pool.peakTick}`}, this.base, this.overlay);
    this.inspector = new Inspector(this);
    this.setHeight(this.height);
    this.requestDraw = oncePerFrame(() => this.draw());
    this.requestOverlay = oncePerFrame(() => this.drawOverlay());
    this.makeNode();
    addChartListeners(this);
  }

  makeNode() {
    const {model} = this, {pool} = model;
    const button = (text, onclick, label) => html('button', {type: 'button', text,
      onclick, 'aria-label': label || text, title: label || text});
    this.reset = button('Whole map', () => this.zoom(this.model.full), 'Show the whole map');
    this.node = html('section', {class: 'card', id: 'pool-' + model.key,
      'aria-label': model.title},
      html('h2', {class: 'mono', text: model.title}),
      html('p', {class: 'soft place', text: model.placeIn(cutLeft(pool.location, innerWidth < 500 ? 26 : 60),
        (model.side === 'before' ? app.before : app.report).scheduler),
        title: model.place}),
      html('div', {class: 'tools', role: 'toolbar', 'aria-label': 'View'},
          button('+', () => this.zoomBy(.5), 'Zoom in'),
          button('−', () => this.zoomBy(2), 'Zoom out'), this.reset,
          html('span', {class: 'gap'}),
          button('SVG', () => exportSvg(this), 'Save the chart as SVG'),
          button('PNG', () => exportPng(this), 'Save the chart as PNG')),
      html('div', {class: 'plot'}, this.chart, this.inspector.node),
      html('p', {text: this.facts()}),
      this.peak = html('p'),
      ...this.advice(), bufferTable(this), ...conflictTable(this));
    this.node.panel = this;
    this.reset.disabled = true;
  }

  // What the peak is made of, and what runs there.
  describePeak() {
    const {model} = this, {pool} = model, parts = model.peakParts(), most = 4;
    const total = parts.reduce((sum, part) => sum + part.bytes, 0);
    const describe = ({name, count, bytes: size}) =>
        `${bytes(size)} (${percent(size, total)}) ` +
        (count > 1 ? `${number(count)} × ` : '') + name;
    const rest = parts.slice(most);
    const [first] = model.operationsAt(pool.peakTick);
    return `Peak of ${bytes(total)} at tick ${number(pool.peakTick)}` +
        (first ? ` (${cutPath(first[0], 48)})` : '') + ': ' +
        [...parts.slice(0, most).map(describe), ...(rest.length ? [describe({
          name: plural(rest.length, 'other operation'), count: 1,
          bytes: rest.reduce((sum, part) => sum + part.bytes, 0)})] : [])].join(', ');
  }

  facts() {
    const {pool} = this.model;
    const optimal = pool.provedBound === pool.poolSize ? ', optimal' : '';
    return (pool.reason ? `no pool: ${pool.reason} · ` : '') +
        plural(pool.buffers.length, 'buffer') + ` of ${bytes(pool.totalBytes)} in a ` +
        `pool of ${exact(pool.poolSize)}: ${percent(pool.poolSize, pool.totalBytes)} of ` +
        `the bytes, ${percent(pool.poolSize - pool.lowerBound, pool.lowerBound)} above ` +
        'the lower bound' + (pool.provedBound === pool.lowerBound ? '' :
          `${optimal}: alignment and conflicts need ${exact(pool.provedBound)}`) +
        (pool.capacity === undefined ? '' :
          `, ${percent(pool.poolSize, pool.capacity)} of the capacity`) +
        (pool.baselineBytes === undefined ? '' :
          `, ${percent(pool.poolSize, pool.baselineBytes)} of the program ${app.report.baseline || 'as given'}`);
  }

  advice() {
    const {advice} = this.model.pool;
    return !advice ? [] : [html('h3', {text: 'What would make it smaller'}),
      html('ol', {class: 'advice'}, ...advice.map(({change, savedBytes}) =>
          html('li', {}, change + ': saves ', html('b', {text: bytes(savedBytes)}))))];
  }

  look() {
    const {app} = this;
    return {barriers: this.barriers,
      colourOf: b => app.colours[app.legend.entries[app.legend.of(b)].colour],
      isDim: b => (app.filter !== null && app.legend.of(b) !== app.filter) ||
          (app.query !== '' && !app.matches(this.model, b))};
  }

  setHeight(height) {
    this.height = height;
    this.chart.style.height = this.inspector.node.style.maxHeight = height + 'px';
  }

  // The canvases in pixels of the device.
  resize() {
    const width = Math.max(this.chart.clientWidth, 240), scale = devicePixelRatio || 1;
    this.size = {width, height: this.height, scale};
    for (const canvas of [this.base, this.overlay]) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(this.height * scale);
      canvas.style.width = width + 'px';
      canvas.style.height = this.height + 'px';
    }
  }

  prepare(canvas) {
    const context = canvas.getContext('2d');
    const {width, height, scale} = this.size;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return new CanvasSurface(context);
  }

  release() {
    this.painter = this.size = null;
    this.base.width = this.overlay.width = 0;
  }

  draw() {
    if (!this.size || this.size.width !== Math.max(this.chart.clientWidth, 240))
      this.resize();
    this.painter = new Painter(this.model, this.view, this.size, this.app.colours,
        this.look());
    const surface = this.prepare(this.base);
    surface.rect(0, 0, this.size.width, this.size.height, this.app.colours.card);
    this.painter.paint(surface);
    this.drawOverlay();
    if (!this.isShown) {
      this.isShown = true;
      this.peak.textContent = this.describePeak();
      this.inspector.showTick();
      this.inspector.showBuffer();
    }
  }
  drawOverlay() {
    if (this.painter)
      this.painter.paintOverlay(this.prepare(this.overlay), {tick: this.at,
        pinned: this.pinned, hovered: this.hovered, selection: this.selection});
  }

  // --- What is looked at -----------------------------------------------------

  goTo(tick) {
    const {full} = this.model;
    this.at = clamp(Math.round(tick) || 0, full.t0, full.t1 - 1);
    if (this.at < this.view.t0 || this.at >= this.view.t1) {
      const half = (this.view.t1 - this.view.t0) / 2;
      this.zoom({...this.view, t0: this.at - half, t1: this.at + half});
    }
    this.app.announce(this.inspector.showTick());
    this.requestOverlay();
    for (const other of this.group)
      if (other.model.side === this.model.side)
        other.followTo(this.at);
    this.app.changed(this);
  }
  // Look at the tick that another pool of the function looks at.
  followTo(tick) {
    this.at = tick;
    if (this.isShown)
      this.inspector.showTick();
    this.requestOverlay();
  }
  // Go to the next tick at which something begins or ends.
  step(direction, count = 1) {
    const {ticks} = this.model;
    const i = lastAtMost(ticks, this.at);
    const isOn = ticks[i] === this.at;
    const next = clamp(direction > 0 ? i + count : i - count + (isOn ? 0 : 1), 0,
        ticks.length - 2);
    this.goTo(ticks[next]);
  }
  pin(b) {
    this.pinned = b;
    this.inspector.showBuffer();
    this.inspector.showTick();
    this.requestOverlay();
    if (b)
      this.app.announce(`${b.name}, ${b.operation} ${b.shape}, ${bytes(b.size)}, ` +
          `ticks ${lifetime(b)}, offset ${number(b.offset)}`);
    this.app.changed(this);
  }
  // Pin the next larger or smaller buffer that is alive.
  pinNext(direction) {
    const alive = this.model.aliveAt(this.at);
    const i = alive.indexOf(this.pinned);
    const next = i < 0 ? (direction > 0 ? 0 : alive.length - 1)
        : clamp(i + direction, 0, alive.length - 1);
    if (alive[next])
      this.pin(alive[next]);
  }
  // Pin `b` from elsewhere on the page, and show it.
  select(b) {
    this.at = clamp(this.at, b.begin, b.end - 1);
    this.pin(b);
    this.zoomTo(b);
    this.node.scrollIntoView({block: 'start'});
    this.chart.focus({preventScroll: true});
  }
  hover(b) {
    if (this.hovered === b)
      return;
    this.hovered = b;
    this.requestOverlay();
  }

  // --- Zoom ------------------------------------------------------------------

  zoom({t0, t1, b0, b1}) {
    const {full} = this.model;
    const width = clamp(t1 - t0, Math.min(4, full.t1 - full.t0), full.t1 - full.t0);
    const height = clamp(b1 - b0, Math.min(16, full.b1), full.b1 - full.b0);
    t0 = clamp((t0 + t1 - width) / 2, full.t0, full.t1 - width);
    b0 = clamp((b0 + b1 - height) / 2, full.b0, full.b1 - height);
    this.view = {t0, t1: t0 + width, b0, b1: b0 + height};
    hideTip();
    this.show();
    for (const other of this.group) {
      other.view = {...other.view, t0: this.view.t0, t1: this.view.t1};
      if (other.model === this.model.pair)
        other.view = this.view;
      other.show();
    }
    this.app.changed(this);
  }
  show() {
    this.reset.disabled = this.isWhole();
    if (this.painter)
      this.requestDraw();
  }
  isWhole() {
    const {view, model: {full}} = this;
    return view.t1 - view.t0 >= full.t1 - full.t0 && view.b1 - view.b0 >= full.b1;
  }
  // Show `factor` times as many ticks; the one at `centre` stays where it is.
  zoomBy(factor, centre = this.centre(), isVertical = false, offset = 0) {
    const {t0, t1, b0, b1} = this.view;
    this.zoom(isVertical
        ? {t0, t1, b0: offset + (b0 - offset) * factor, b1: offset + (b1 - offset) * factor}
        : {t0: centre + (t0 - centre) * factor, t1: centre + (t1 - centre) * factor, b0, b1});
  }
  centre() {
    const {t0, t1} = this.view;
    return this.at >= t0 && this.at < t1 ? this.at + .5 : (t0 + t1) / 2;
  }
  pan(ticks, offsets) {
    const {t0, t1, b0, b1} = this.view;
    this.zoom({t0: t0 + ticks, t1: t1 + ticks, b0: b0 + offsets, b1: b1 + offsets});
  }
  // Show `b` with what is around it.
  zoomTo(b) {
    const width = Math.max(6 * b.age, 24), height = Math.max(6 * b.size, 64);
    const t = (b.begin + b.end) / 2, o = b.offset + b.size / 2;
    this.zoom({t0: t - width / 2, t1: t + width / 2, b0: o - height / 2,
      b1: o + height / 2});
  }
}
