// What the page knows of a pool: the report, and what follows from it.

const operationOf = access => (access || '').split(' at ')[0];
const hasNumberedName = b => /^%(\d+|alloc|.*_\d+)$/.test(b.name);

// The shape and the element type: `4x8xf32` of `memref<4x8xf32, 3>`.
function shapeOf(type) {
  const match = /^memref<([^,]*?)(,.*)?>$/.exec(type || '');
  return match ? match[1] : type || '';
}

// What all of `texts` begin or end with, in whole parts, is cut off: it does not
// tell them apart. At least one part stays.
function cutCommon(texts, separator) {
  const split = texts.map(text => text.split(separator));
  const shortest = split.reduce((least, parts) => Math.min(least, parts.length),
      Infinity) - 1;
  const all = condition => split.every(condition);
  let front = 0, back = 0;
  if (split.length > 1) {
    while (front < shortest && all(parts => parts[front] === split[0][front]))
      ++front;
    while (front + back < shortest &&
           all(parts => parts.at(-1 - back) === split[0].at(-1 - back)))
      ++back;
  }
  return new Map(texts.map((text, i) =>
      [text, split[i].slice(front, split[i].length - back).join(separator)]));
}

// The layer that a buffer belongs to: the part of its name that names a scope,
// `encoder/layer_3` of `encoder/layer_3/attention/out`.
function scopeOf(name) {
  const parts = name.split(/[/:]|\.(?=\D)/).filter(Boolean);
  return parts.length > 1 ? parts.slice(0, Math.min(2, parts.length - 1)).join('/')
                          : '';
}

class Pool {
  constructor(pool, index, side) {
    Object.assign(this, {pool, index, side});
    this.buffers = pool.buffers;
    this.key = (side === 'before' ? 'before-' : '') + (index + 1);
    const count = this.buffers.length;
    this.begin = new Float64Array(count);
    this.end = new Float64Array(count);
    this.low = new Float64Array(count);
    this.high = new Float64Array(count);
    this.full = {t0: Infinity, t1: -Infinity, b0: 0, b1: 0};
    this.buffers.forEach((b, i) => this.describe(b, i));
    this.full.b1 = Math.max(pool.poolSize,
        (pool.regions || []).reduce((end, r) => Math.max(end, r.begin), 0)) * 1.07;
    this.makeLabels();
    this.makeSteps();
    this.makeBlocks();
  }

  describe(b, i) {
    b.index = i;
    b.operation = operationOf(b.producer || b.firstAccess);
    b.shape = shapeOf(b.type);
    b.scope = scopeOf(b.name);
    b.age = b.end - b.begin;
    const region = (this.pool.regions || []).find(r =>
        r.begin <= b.offset && b.offset < r.end);
    b.region = region ? region.name : this.pool.memorySpace
        ? 'memory space ' + this.pool.memorySpace : 'default memory';
    this.begin[i] = b.begin;
    this.end[i] = b.end;
    this.low[i] = b.offset;
    this.high[i] = b.offset + b.size;
    this.full.t0 = Math.min(this.full.t0, b.begin);
    this.full.t1 = Math.max(this.full.t1, b.end);
  }

  makeLabels() {
    const distinct = key => [...new Set(this.buffers.map(b => b[key]))];
    // A dialect is cut off if the operation is clear without it.
    const withoutDialect = name => name.slice(name.indexOf('.') + 1);
    const counts = new Map();
    for (const name of distinct('operation'))
      counts.set(withoutDialect(name), (counts.get(withoutDialect(name)) || 0) + 1);
    const shapes = cutCommon(distinct('shape'), 'x');
    // A batch of one tells nothing, either.
    for (const [shape, text] of shapes)
      shapes.set(shape, text.replace(/^1x(?=.*x)/, ''));
    for (const b of this.buffers) {
      const short = withoutDialect(b.operation);
      const operation = (counts.get(short) > 1 ? b.operation : short)
          .replace(/^generic\[(.*)\]$/, '$1').replace(/\b(arith|math)\./g, '');
      const shape = shapes.get(b.shape) || b.shape;
      const isNamed = !operation || !hasNumberedName(b);
      b.label = isNamed ? b.name : operation;
      b.detail = isNamed ? [operation, shape].filter(Boolean).join(' ') : shape;
    }
  }

  // The bytes that are alive from each tick at which they change.
  makeSteps() {
    const changes = new Map();
    const change = (tick, size) => changes.set(tick, (changes.get(tick) || 0) + size);
    for (const b of this.buffers)
      for (const [begin, end] of Pool.intervals(b)) {
        change(begin, b.size);
        change(end, -b.size);
      }
    this.ticks = Float64Array.from(changes.keys()).sort();
    this.live = new Float64Array(this.ticks.length);
    let sum = 0;
    this.ticks.forEach((tick, i) => {
      sum += changes.get(tick);
      this.live[i] = sum;
    });
  }

  // For 64 buffers each, the ticks at which one of them is alive: what is outside
  // of a view is skipped in blocks.
  makeBlocks() {
    this.blocks = [];
    for (let first = 0; first < this.buffers.length; first += 64) {
      const last = Math.min(first + 64, this.buffers.length);
      let begin = Infinity, end = -Infinity;
      for (let i = first; i < last; ++i) {
        begin = Math.min(begin, this.begin[i]);
        end = Math.max(end, this.end[i]);
      }
      this.blocks.push({first, last, begin, end});
    }
  }

  // The parts of a lifetime between its gaps.
  static intervals(b) {
    if (!b.gaps)
      return [[b.begin, b.end]];
    const ends = [b.begin, ...b.gaps.flatMap(gap => [gap.begin, gap.end]), b.end];
    return Array.from({length: ends.length / 2},
        (_, i) => [ends[2 * i], ends[2 * i + 1]]);
  }
  static isAlive(b, tick) {
    return b.begin <= tick && tick < b.end &&
        !(b.gaps || []).some(gap => gap.begin <= tick && tick < gap.end);
  }

  // Call `action` for the index of each buffer that is alive in [from, to).
  forEachIn(from, to, action) {
    for (const block of this.blocks)
      if (block.begin < to && block.end > from)
        for (let i = block.first; i < block.last; ++i)
          if (this.begin[i] < to && this.end[i] > from)
            action(i);
  }
  aliveAt(tick) {
    const alive = [];
    this.forEachIn(tick, tick + .5, i => {
      if (Pool.isAlive(this.buffers[i], tick))
        alive.push(this.buffers[i]);
    });
    return alive.sort((a, b) => b.size - a.size || a.index - b.index);
  }
  liveAt(tick) {
    const i = lastAtMost(this.ticks, tick);
    return i < 0 ? 0 : this.live[i];
  }
  find(tick, offset) {
    let found = null;
    this.forEachIn(tick, tick + 1e-9, i => {
      if (this.low[i] <= offset && offset < this.high[i] &&
          (!found || Pool.isAlive(this.buffers[i], Math.floor(tick))))
        found = this.buffers[i];
    });
    return found;
  }
  // The buffers that use some bytes of `b`, in the order of their lifetimes.
  sharers(b) {
    return this.buffers.filter(other => other !== b &&
        other.offset < b.offset + b.size && b.offset < other.offset + other.size)
        .sort((x, y) => x.begin - y.begin || x.index - y.index);
  }
  // The operations that run at ticks, as far as accesses of buffers tell: the first
  // access of a buffer is where it begins, the last one where it ends. By tick, and
  // the ticks in order.
  get operations() {
    const known = this.group.find(other => other.side === this.side && other.accesses);
    if (known)
      return known.accesses;
    const at = new Map();
    const put = (tick, access, what) => {
      if (!access)
        return;
      const found = at.get(tick) || new Map();
      found.set(access, [...found.get(access) || [], what]);
      at.set(tick, found);
    };
    for (const {buffers, side} of this.group)
      if (side === this.side)
        for (const b of buffers) {
          put(b.begin, b.firstAccess, 'begins ' + b.name);
          put(b.end - 1, b.lastAccess, 'ends ' + b.name);
        }
    return this.accesses = {at, ticks: Float64Array.from(at.keys()).sort()};
  }
  // Pairs of an operation with its location and what it begins and ends.
  operationsAt(tick) {
    return [...this.operations.at.get(tick) || []];
  }
  // What the peak is made of: bytes by operation, the most first.
  peakParts() {
    const sums = new Map();
    for (const b of this.aliveAt(this.pool.peakTick)) {
      const name = b.callee ? 'call @' + b.callee : b.operation || b.name;
      const sum = sums.get(name) || {name, count: 0, bytes: 0};
      ++sum.count;
      sum.bytes += b.size;
      sums.set(name, sum);
    }
    return [...sums.values()].sort((a, b) => b.bytes - a.bytes);
  }
  // Everything that a search looks at.
  textOf(b) {
    b.text = b.text || [b.name, b.type, b.location, b.producer, b.firstAccess,
        b.lastAccess, this.pool.function].filter(Boolean).join('\n').toLowerCase();
    return b.text;
  }
  // The bytes of the function's allocations that stay, as far as they are known.
  leftBytes(report) {
    return report.left.reduce((sum, group) => sum + group.buffers.reduce(
        (part, b) => part + (b.function === this.pool.function ? b.size : 0), 0), 0);
  }
  get title() {
    const {pool} = this;
    const parts = [pool.function && '@' + pool.function,
        pool.scope.endsWith('func') && pool.function ? '' : pool.scope,
        pool.memorySpace && 'space ' + pool.memorySpace];
    return parts.filter(Boolean).join(' · ') +
        (this.side === 'before' ? ' (before)' : '');
  }
  get place() {
    return this.placeIn(this.pool.location);
  }
  placeIn(location, scheduler) {
    const {pool} = this;
    return pool.scope + (location ? ' at ' + location : '') +
        (pool.memorySpace ? ', memory space ' + pool.memorySpace : '') +
        (pool.storage ? ', storage: ' + pool.storage : '') +
        (scheduler ? ', scheduler: ' + scheduler : '');
  }
}

// The pools of one function have one numbering of ticks, and so one time axis; a
// pool and the one that it replaces have one scale of bytes as well. What is zoomed
// in one of them is zoomed in all of them.
function shareAxes(models) {
  const groups = new Map();
  for (const model of models) {
    const key = model.pairName ?? model.pool.function;
    model.group = key === undefined ? [] : groups.get(key) || [];
    model.group.push(model);
    groups.set(key, model.group);
  }
  for (const {group, full} of models)
    for (const other of group) {
      full.t0 = Math.min(full.t0, other.full.t0);
      full.t1 = Math.max(full.t1, other.full.t1);
    }
  for (const {full, pair} of models)
    if (pair)
      full.b1 = pair.full.b1 = Math.max(full.b1, pair.full.b1);
}

const lifetime = b => `[${b.begin}, ${b.end})`;
