// What is beside a chart: the buffers that are alive at a tick, the largest first,
// and everything about the buffer that is pinned.

const maxListed = 200;

class Inspector {
  constructor(panel) {
    this.panel = panel;
    this.tick = html('input', {type: 'number', 'aria-label': 'Tick',
      onchange: () => panel.goTo(Number(this.tick.value))});
    const step = (direction, text, label) => html('button', {type: 'button', text,
      'aria-label': label, title: label, onclick: () => panel.step(direction)});
    this.heading = html('h3');
    this.list = html('ol');
    this.operations = html('ul', {class: 'operations'});
    this.buffer = html('div', {class: 'buffer'});
    this.node = html('aside', {class: 'inspector', 'aria-label': 'Details'},
        html('div', {class: 'ticks'}, html('span', {text: 'Tick '}), this.tick,
            step(-1, '◀', 'Previous change'), step(1, '▶', 'Next change'),
            html('button', {type: 'button', text: 'Peak',
              onclick: () => panel.goTo(panel.model.pool.peakTick)})),
        this.heading, this.operations, this.list, this.buffer);
  }

  // An entry of a list of buffers, which pins its buffer.
  entry(b, detail, most) {
    const {panel} = this, bar = html('i');
    bar.style.width = 100 * b.size / most + '%';
    const button = html('button', {type: 'button', class: 'entry',
      'aria-pressed': String(panel.pinned === b), title: `${b.name}: ${b.type}`,
      onclick: () => panel.pin(panel.pinned === b ? null : b)},
      html('span', {class: 'name', text: [b.label, b.detail].join(' ')}),
      html('span', {class: 'soft', text: detail}),
      html('span', {class: 'bar'}, bar));
    button.addEventListener('pointerenter', () => panel.hover(b));
    button.addEventListener('pointerleave', () => panel.hover(null));
    return html('li', {}, button);
  }
  more(count) {
    return count > 0 ? [html('li', {class: 'soft', text: `and ${number(count)} more`})]
        : [];
  }

  showTick() {
    const {panel} = this, {model, at} = panel;
    const alive = model.aliveAt(at);
    const sum = alive.reduce((total, b) => total + b.size, 0);
    this.tick.value = at;
    this.tick.min = model.full.t0;
    this.tick.max = model.full.t1 - 1;
    this.heading.textContent = `Alive at tick ${at}: ` +
        `${plural(alive.length, 'buffer')}, ${bytes(sum)}` +
        (at === model.pool.peakTick ? ' (peak)' : '');
    this.operations.replaceChildren(...this.describeOperations(at));
    const most = alive.length ? alive[0].size : 1;
    this.list.replaceChildren(
        ...alive.slice(0, maxListed).map(b => this.entry(b, bytes(b.size), most)),
        ...this.more(alive.length - maxListed));
    return this.heading.textContent;
  }

  // What runs at `tick`, with its source line and what begins and ends with it; or
  // what runs before and after.
  describeOperations(tick) {
    const {model} = this.panel, maxOperations = 4;
    const line = (start, [access, effects]) => html('li', {title: access},
        start, html('span', {class: 'mono', text: cutPath(access, 48)}),
        html('span', {class: 'soft', text: ': ' + effects.slice(0, 3).join(', ') +
            (effects.length > 3 ? ' …' : '')}));
    const here = model.operationsAt(tick);
    if (here.length)
      return here.slice(0, maxOperations).map(item => line('', item));
    const {ticks} = model.operations, i = lastAtMost(ticks, tick);
    return [['after', ticks[i]], ['before', ticks[i + 1]]].flatMap(([text, near]) =>
        model.operationsAt(near).slice(0, 1).map(item =>
            line(`${text} tick ${number(near)}, `, item)));
  }

  facts(b) {
    const pairs = (indices, text) => (indices || []).map(i =>
        `${this.panel.model.buffers[i].name} (${text})`);
    const inPlace = [...pairs(b.inPlaceOf, 'same offset'),
      ...pairs(b.inPlaceOfAny, 'any offset')];
    return [
      ['operation', b.operation],
      ['value', b.value ? `${b.value} of ${b.values} of the allocation` : ''],
      ['type', b.type], ['bytes', exact(b.size)],
      ['lifetime', `${lifetime(b)}, ${plural(b.age, 'tick')}`],
      ['gaps', (b.gaps || []).map(lifetime).join(' ')],
      ['offset', `${number(b.offset)} to ${number(b.offset + b.size)}`],
      ['aligned to', number(b.alignment)], ['in place of', inPlace.join(', ')],
      ['region', this.panel.model.pool.regions ? b.region : ''],
      ['not merged', this.panel.model.pool.reason],
      ['change', b.change ? changeNames[b.change] : ''],
      ['location', cutLeft(b.location, 48), b.location],
      ...[['written by', b.producer], ['first access', b.firstAccess],
        ['last access', b.lastAccess]].map(([key, text]) => [key, cutPath(text, 48), text]),
    ].filter(fact => fact[1]);
  }

  // The buffers that use bytes of `b`, before and after it.
  sharerLists(b) {
    const all = this.panel.model.sharers(b), most = b.size;
    const list = (title, buffers) => buffers.length ? [
      html('h4', {text: `${title}: ${number(buffers.length)}`}),
      html('ol', {}, ...buffers.slice(0, maxListed).map(other =>
          this.entry(other, lifetime(other), Math.max(most, other.size))),
          ...this.more(buffers.length - maxListed))] : [];
    return [
      ...list('Uses its bytes before', all.filter(o => o.end <= b.begin).reverse()),
      ...list('Uses its bytes after', all.filter(o => o.begin >= b.end)),
      ...list('Uses its bytes meanwhile', all.filter(o =>
          o.end > b.begin && o.begin < b.end)),
    ];
  }

  showBuffer() {
    const b = this.panel.pinned;
    if (!b) {
      this.buffer.replaceChildren();
      return;
    }
    const shared = this.sharerLists(b);
    this.buffer.replaceChildren(
        html('h3', {class: 'mono', text: b.name}),
        html('dl', {}, ...this.facts(b).flatMap(([key, value, title]) =>
            [html('dt', {text: key}), html('dd', {text: value, title})])),
        html('div', {}, html('button', {type: 'button', text: 'Zoom to it',
          onclick: () => this.panel.zoomTo(b)}), ' ',
        html('button', {type: 'button', text: 'Unpin',
          onclick: () => this.panel.pin(null)})),
        ...(shared.length ? shared
            : [html('p', {class: 'soft', text: 'No other buffer uses its bytes.'})]));
  }
}
