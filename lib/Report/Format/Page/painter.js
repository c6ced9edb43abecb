// Paints the curve of live bytes and the map of a pool, on one time axis.
//
//   curve   what is alive, and the levels that it is compared with
//   map     a rectangle for each buffer: its width the lifetime, its height the size
//
// With 100,000 buffers most are narrower than a pixel. Those are written into an
// image directly; everything else is a few thousand rectangles.

const layout = {left: 78, right: 14, top: 10, row: 13, curve: 92, gap: 26, bottom: 36};
const maxLabels = 600;

class Painter {
  constructor(pool, view, size, colours, look) {
    Object.assign(this, {pool, view, size, colours, look});
    this.w = Math.max(size.width - layout.left - layout.right, 60);
    this.right = layout.left + this.w;
    // The names of the levels are above the curve, in as many rows as they need. Two
    // plans have one scale.
    const models = [pool, ...(pool.pair ? [pool.pair] : [])];
    this.curveMost = Math.max(...models.map(model => this.mostOf(model)));
    const [names, others] = models.map(model => this.placeNames(model));
    this.names = names;
    const rows = Math.max(names.at(-1).row, others ? others.at(-1).row : 0);
    this.curveTop = layout.top + layout.row * rows + 5;
    this.curveBottom = layout.top + layout.curve;
    this.mapTop = this.curveBottom + layout.gap;
    this.mapBottom = size.height - layout.bottom;
  }

  x(tick) {
    return layout.left + (tick - this.view.t0) / (this.view.t1 - this.view.t0) * this.w;
  }
  y(offset) {
    return this.mapBottom - (offset - this.view.b0) /
        (this.view.b1 - this.view.b0) * (this.mapBottom - this.mapTop);
  }
  yCurve(level) {
    return this.curveBottom -
        level / this.curveMost * (this.curveBottom - this.curveTop);
  }
  tickAt(x) {
    return this.view.t0 + (x - layout.left) / this.w * (this.view.t1 - this.view.t0);
  }
  offsetAt(y) {
    return this.view.b0 + (this.mapBottom - y) / (this.mapBottom - this.mapTop) *
        (this.view.b1 - this.view.b0);
  }
  // The rectangle of [begin, end) of a buffer, cut off at the edges of the view.
  box(b, begin = b.begin, end = b.end) {
    const x = clamp(this.x(begin), layout.left, this.right);
    const y = clamp(this.y(b.offset + b.size), this.mapTop, this.mapBottom);
    return {x, y, width: clamp(this.x(end), layout.left, this.right) - x,
      height: clamp(this.y(b.offset), this.mapTop, this.mapBottom) - y};
  }

  paint(surface) {
    this.surface = surface;
    this.paintGrid();
    this.paintCurve();
    surface.clipped(layout.left, this.mapTop, this.w, this.mapBottom - this.mapTop,
        () => {
          this.paintRegions();
          this.paintBuffers();
          this.paintBarriers();
        });
    this.paintLevels();
  }

  paintGrid() {
    const {surface, colours, view} = this;
    for (const b of multiples(view.b0, view.b1, niceStep(view.b1 - view.b0, 7, true))) {
      surface.line([[layout.left, this.y(b)], [this.right, this.y(b)]], colours.grid);
      surface.text(layout.left - 6, this.y(b) + 4, bytes(b), colours.soft, 'end');
    }
    const step = niceStep(view.t1 - view.t0, Math.max(2, this.w / 90), false);
    for (const t of multiples(view.t0, view.t1, step)) {
      const x = this.x(t);
      surface.line([[x, this.curveTop], [x, this.curveBottom]], colours.grid);
      surface.line([[x, this.mapTop], [x, this.mapBottom]], colours.grid);
      if (x < this.right - 60)
        surface.text(x, this.mapBottom + 15, number(t), colours.soft, 'middle');
    }
    surface.text(this.right, this.mapBottom + 15, 'tick →', colours.soft, 'end');
    surface.text(this.right, this.mapTop - 8, 'byte offset ↓', colours.soft, 'end');
    surface.line([[layout.left, this.mapTop], [layout.left, this.mapBottom],
      [this.right, this.mapBottom]], colours.soft);
  }

  // What the curve is compared with. A level far above would make it flat: it is
  // only named.
  levels({pool, left} = this.pool) {
    const all = [{level: pool.poolSize, text: 'pool', colour: 'ink', dash: []}];
    if (left)
      all.push({level: pool.poolSize + left, text: 'pool and what stays',
        colour: 'soft', dash: [3, 3]});
    if (pool.baselineBytes !== undefined)
      all.push({level: pool.baselineBytes, text: app.report.baseline || 'as given',
        colour: 'baseline', dash: [8, 3]});
    if (pool.capacity !== undefined)
      all.push({level: pool.capacity, text: 'capacity', colour: 'capacity',
        dash: [10, 3, 2, 3]});
    for (const region of pool.regions || [])
      if (region.capacity !== undefined)
        all.push({level: region.capacity, text: 'capacity of ' + region.name,
          colour: 'capacity', dash: [2, 4]});
    return all;
  }

  // The top of the curve of `model`, in bytes.
  mostOf(model) {
    const {poolSize, lowerBound} = model.pool;
    const most = 2 * Math.max(poolSize, lowerBound);
    return 1.12 * this.levels(model).reduce(
        (top, {level}) => level <= most ? Math.max(top, level) : top, lowerBound);
  }
  // The names of the curve and of its levels, the highest first, and where they are.
  placeNames(model) {
    const levels = this.levels(model);
    const names = [{text: 'bytes alive', colour: 'soft'},
      ...levels.sort((a, b) => b.level - a.level).map(({level, text, colour}) =>
          ({text: `${text} ${bytes(level)}` + (level > this.curveMost ? ' ↑' : ''),
            colour}))];
    let x = layout.left, row = 0;
    return names.map(name => {
      const width = charWidth * (name.text.length + 2);
      if (x > layout.left && x + width > this.right) {
        x = layout.left;
        ++row;
      }
      x += width;
      return {...name, x: x - width, row};
    });
  }

  paintCurve() {
    const {surface, colours} = this;
    const {poolSize} = this.pool.pool;
    surface.text(layout.left - 6, this.curveBottom + 3, '0 B', colours.soft, 'end');
    surface.text(layout.left - 6, this.yCurve(poolSize) + 4, bytes(poolSize),
        colours.soft, 'end');
    const points = this.curvePoints();
    surface.clipped(layout.left, this.curveTop, this.w, this.curveBottom - this.curveTop + 1, () => {
      surface.area([[layout.left, this.curveBottom], ...points,
        [this.right, this.curveBottom]], colours.live, .45);
      surface.line(points, colours.live, 1.5);
    });
    surface.line([[layout.left, this.curveBottom], [this.right, this.curveBottom]],
        colours.soft);
    this.paintCurveLevels();
  }

  paintCurveLevels() {
    const {surface, colours} = this;
    for (const {level, colour, dash} of this.levels())
      if (level <= this.curveMost)
        surface.line([[layout.left, this.yCurve(level)],
          [this.right, this.yCurve(level)]], colours[colour], 1.5, dash);
    for (const {x, row, text, colour} of this.names)
      surface.text(x, layout.top + layout.row * row, text, colours[colour], 'start');
  }

  // The corners of the curve; of many in one pixel, the highest and the lowest.
  curvePoints() {
    const {ticks, live} = this.pool, {t0, t1} = this.view, points = [];
    let i = Math.max(lastAtMost(ticks, t0), 0);
    const last = lastAtMost(ticks, t1);
    let level = ticks[i] <= t0 ? live[i] : 0;
    points.push([layout.left, this.yCurve(level)]);
    for (i = ticks[i] <= t0 ? i + 1 : i; i <= last;) {
      const x = this.x(ticks[i]);
      points.push([x, this.yCurve(level)]);
      let low = live[i], high = live[i];
      do {
        level = live[i];
        low = Math.min(low, level);
        high = Math.max(high, level);
        ++i;
      } while (i <= last && this.x(ticks[i]) < x + .5);
      if (high !== level)
        points.push([x, this.yCurve(high)]);
      if (low !== level)
        points.push([x, this.yCurve(low)]);
      points.push([x, this.yCurve(level)]);
    }
    points.push([this.right, this.yCurve(level)]);
    return points;
  }

  paintRegions() {
    const {surface, colours} = this;
    (this.pool.pool.regions || []).forEach((region, i) => {
      const top = this.y(region.end), bottom = this.y(region.begin);
      if (i % 2 === 0)
        surface.rect(layout.left, top, this.w, bottom - top, colours.capacity, .08);
      surface.line([[layout.left, bottom], [this.right, bottom]], colours.capacity, 1,
          [4, 4]);
    });
  }

  paintBuffers() {
    const {pool, view, look} = this, wide = [], narrow = [];
    pool.forEachIn(view.t0, view.t1, i => {
      const b = pool.buffers[i];
      if (pool.high[i] <= view.b0 || pool.low[i] >= view.b1)
        return;
      const isNarrow = (pool.end[i] - pool.begin[i]) / (view.t1 - view.t0) * this.w < 1.5;
      (isNarrow && !b.gaps ? narrow : wide).push(b);
    });
    const asImage = narrow.length > 2000 && this.surface instanceof CanvasSurface;
    if (asImage)
      this.paintImage(narrow);
    for (const b of asImage ? wide : [...wide, ...narrow])
      this.paintBuffer(b, look.colourOf(b), look.isDim(b));
    this.paintLabels(wide);
    this.paintInPlace(wide);
  }

  paintBuffer(b, colour, isDim) {
    const {surface, colours} = this, alpha = isDim ? .15 : 1;
    if (b.gaps) {
      const {x, y, width, height} = this.box(b);
      surface.rect(x, y, width, height, colour, alpha * .2);
      surface.frame(x, y, width, height, colour, 1, [3, 2]);
    }
    for (const [begin, end] of Pool.intervals(b)) {
      const {x, y, width, height} = this.box(b, begin, end);
      surface.rect(x, y, Math.max(width, .8), Math.max(height, .8), colour, alpha);
      if (width >= 4 && height >= 4 && !isDim)
        surface.frame(x, y, width, height, colours.card);
    }
  }

  // All of `narrow` as pixels of an image, which is put below everything wider.
  paintImage(narrow) {
    const {scale} = this.size, {view} = this;
    const w = Math.floor(this.w * scale);
    const h = Math.floor((this.mapBottom - this.mapTop) * scale);
    const canvas = Painter.scratch = Painter.scratch || document.createElement('canvas');
    canvas.width = w;
    canvas.height = h;
    const context = canvas.getContext('2d');
    const image = context.createImageData(w, h);
    const pixels = new Uint32Array(image.data.buffer);
    const words = [this.pixelWords(false), this.pixelWords(true)];
    const xScale = w / (view.t1 - view.t0), yScale = h / (view.b1 - view.b0);
    for (const b of narrow) {
      const value = words[Number(this.look.isDim(b))](this.look.colourOf(b));
      const x0 = clamp(Math.floor((b.begin - view.t0) * xScale), 0, w - 1);
      const x1 = clamp(Math.ceil((b.end - view.t0) * xScale), x0 + 1, w);
      const y0 = clamp(Math.floor((view.b1 - b.offset - b.size) * yScale), 0, h - 1);
      const y1 = clamp(Math.ceil((view.b1 - b.offset) * yScale), y0 + 1, h);
      for (let x = x0; x < x1; ++x)
        for (let i = y0 * w + x, end = y1 * w; i < end; i += w)
          pixels[i] = value;
    }
    context.putImageData(image, 0, 0);
    this.surface.context.drawImage(canvas, layout.left, this.mapTop, w / scale, h / scale);
  }

  // A function from a colour to a pixel: red is in the lowest byte.
  pixelWords(isDim) {
    const words = new Map(), paper = this.colours.card;
    return colour => {
      let word = words.get(colour);
      if (word === undefined) {
        const channel = i => {
          const [c, p] = [colour, paper].map(text => parseInt(text.slice(i, i + 2), 16));
          return isDim ? Math.round(.15 * c + .85 * p) : c;
        };
        word = (255 << 24 | channel(5) << 16 | channel(3) << 8 | channel(1)) >>> 0;
        words.set(colour, word);
      }
      return word;
    };
  }

  // The operation, the shape and the bytes, as far as there is room.
  paintLabels(buffers) {
    let count = 0;
    for (const b of buffers) {
      const {x, y, width, height} = this.box(b);
      const room = Math.floor((width - 8) / charWidth);
      if (room < 3 || height < 13 || this.look.isDim(b))
        continue;
      if (++count > maxLabels)
        return;
      const both = b.label + ' ' + b.detail;
      let lines = both.length <= room && height < 28 ? [both]
          : height < 28 ? [b.label]
          : [b.label, b.detail, bytes(b.size)];
      lines = lines.filter(Boolean).slice(0, Math.floor((height - 2) / 13));
      // Half a word tells less than the next line as a whole.
      lines = lines.map(text => text.length <= room ? text
          : room >= 5 ? text.slice(0, room - 1) + '…' : '').filter(Boolean);
      const ink = inkOn(this.look.colourOf(b));
      const first = y + height / 2 + 4 - (lines.length - 1) * 6.5;
      lines.forEach((text, i) => this.surface.text(x + 4, first + 13 * i, text, ink));
    }
  }

  // An arrow where a buffer takes the place of another one.
  paintInPlace(buffers) {
    for (const b of buffers)
      for (const index of [...(b.inPlaceOf || []), ...(b.inPlaceOfAny || [])]) {
        const other = this.pool.buffers[index];
        const low = Math.max(b.offset, other.offset);
        const high = Math.min(b.offset + b.size, other.offset + other.size);
        const x = this.x(b.begin), y = this.y((low + high) / 2);
        if (low < high && x > layout.left + 8 && x < this.right - 8) {
          this.surface.line([[x - 7, y], [x + 7, y]], this.colours.card, 4);
          this.surface.line([[x - 7, y], [x + 7, y], [x + 3, y - 3], [x + 7, y],
            [x + 3, y + 3]], this.colours.ink, 1.5);
        }
      }
  }

  paintBarriers() {
    for (const {tick, isInserted} of this.look.barriers)
      if (tick >= this.view.t0 && tick <= this.view.t1)
        this.surface.line([[this.x(tick), this.mapTop], [this.x(tick), this.mapBottom]],
            this.colours.link, 1.5, isInserted ? [2, 2] : []);
  }

  // The lines across the map, with their names.
  paintLevels() {
    const {pool} = this.pool, {surface, colours} = this;
    const rule = (offset, text, colour, dash, anchor) => {
      const y = this.y(offset);
      if (y < this.mapTop - 1 || y > this.mapBottom)
        return;
      surface.line([[layout.left, y], [this.right, y]], colours[colour], 1.5, dash);
      surface.text(anchor === 'end' ? this.right - 4 : layout.left + 6,
          Math.max(y - 4, this.mapTop + 9), text, colours[colour], anchor, colours.card);
    };
    for (const region of pool.regions || [])
      rule(region.begin, region.name, 'capacity', [4, 4], 'start');
    const size = 'pool ' + bytes(pool.poolSize), isBound = pool.lowerBound === pool.poolSize;
    const bound = 'lower bound ' + bytes(pool.lowerBound) + (isBound ? ' = pool' : '');
    // Where both have no room, one says it.
    const letter = 6.6, haveRoom = (size.length + bound.length + 3) * letter < this.w;
    rule(pool.poolSize, isBound && !haveRoom ? '' : size, 'ink', [], 'start');
    rule(pool.lowerBound, bound, 'bound', [7, 4], 'end');
    if (pool.capacity !== undefined && pool.capacity <= this.view.b1)
      rule(pool.capacity, 'capacity ' + bytes(pool.capacity), 'capacity',
          [10, 3, 2, 3], 'start');
    const x = this.x(pool.peakTick + .5);
    if (x >= layout.left && x <= this.right) {
      surface.line([[x, this.curveTop], [x, this.mapBottom + 20]], colours.peak, 1.5,
          [2, 3]);
      surface.text(clamp(x, layout.left + 50, this.right - 110), this.mapBottom + 31,
          'peak at tick ' + number(pool.peakTick), colours.peak, 'middle', colours.card);
    }
  }

  // What changes without the chart: the tick that is looked at, and the buffers.
  paintOverlay(surface, {tick, pinned, hovered, selection}) {
    const {colours} = this;
    const from = this.x(tick), to = this.x(tick + 1);
    if (tick !== null && to >= layout.left && from <= this.right) {
      surface.rect(clamp(from, layout.left, this.right), this.curveTop,
          clamp(Math.max(to - from, 1.5), 1.5, this.w), this.mapBottom - this.curveTop,
          colours.link, .35);
      surface.text(clamp((from + to) / 2, layout.left + 30, this.right - 130),
          this.curveBottom + 13, 'tick ' + number(tick), colours.link, 'middle',
          colours.card);
    }
    for (const [b, width] of [[hovered, 2], [pinned, 3.5]])
      if (b) {
        const {x, y, width: w, height: h} = this.box(b);
        surface.frame(x, y, Math.max(w, 1), Math.max(h, 1), colours.ink, width);
        surface.frame(x, y, Math.max(w, 1), Math.max(h, 1), colours.card, width / 3);
      }
    if (selection) {
      const {x, y, width, height} = selection;
      surface.rect(x, y, width, height, colours.link, .2);
      surface.frame(x, y, width, height, colours.link);
    }
  }
}
