// Search: every word must occur in the name, type, operations, location or
// function of a buffer. Enter goes to the next one, and zooms to it.

class Search {
  constructor(app) {
    this.app = app;
    this.found = [];
    this.current = -1;
    this.input = $('search');
    this.status = $('found');
    const later = debounce(() => this.run(this.input.value), 120);
    this.input.addEventListener('input', later);
    this.input.addEventListener('keydown', event => {
      if (event.key === 'Enter')
        this.go(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape')
        this.run(this.input.value = '');
    });
    $('next').addEventListener('click', () => this.go(1));
    $('previous').addEventListener('click', () => this.go(-1));
  }

  run(text) {
    const {app} = this, query = text.trim().toLowerCase();
    if (query === app.query)
      return;
    app.query = query;
    app.words = query.split(/\s+/);
    this.current = -1;
    this.found = !query ? [] : app.panels.flatMap(panel => panel.model.buffers
        .filter(b => app.matches(panel.model, b)).map(b => ({panel, b})));
    const pools = new Set(this.found.map(hit => hit.panel)).size;
    const left = !query ? 0 : app.report.left.reduce((sum, group) =>
        sum + group.buffers.filter(b => app.words.every(word =>
            [b.name, b.type, b.location, b.function, b.operation].join('\n')
                .toLowerCase().includes(word))).length, 0);
    this.status.textContent = !query ? '' :
        `${plural(this.found.length, 'buffer')} in ${plural(pools, 'pool')}` +
        (left ? `, ${number(left)} left alone` : '');
    $('next').hidden = $('previous').hidden = !this.found.length;
    app.showIndex();
    app.redraw();
    app.changed();
  }

  go(direction) {
    this.run(this.input.value);
    const {found} = this;
    if (!found.length)
      return;
    this.current = this.current < 0 ? (direction > 0 ? 0 : found.length - 1)
        : (this.current + direction + found.length) % found.length;
    const {panel, b} = found[this.current];
    const focus = document.activeElement;
    panel.select(b);
    // Enter once more goes on to the next one.
    focus.focus({preventScroll: true});
    this.status.textContent =
        `${number(this.current + 1)} of ${plural(found.length, 'buffer')}: ${b.name}`;
  }
}
