// Tables that are sorted by a click on a heading, and show their rows in parts.

const maxRows = 500;

// Columns are [heading, value of an item, kind]. Numbers are sorted as numbers,
// a `path` is shortened from the left;
// `select`, if there is one, makes the first cell a button.
function table(columns, items, select) {
  const body = html('tbody');
  let order = items, shown = 0, sorted = -1, isUp = true;
  const more = html('button', {type: 'button', onclick: () => show()});

  function makeRow(item) {
    return html('tr', {}, ...columns.map(([, value, kind], i) => {
      const title = typeof value(item) === 'number' ? number(value(item)) : value(item);
      const text = kind === 'path' ? cutPath(title, 40) : title;
      if (i || !select)
        return html('td', {text, title, class: kind});
      return html('td', {class: kind}, html('button', {type: 'button', text, title,
        class: 'link', onclick: () => select(item)}));
    }));
  }
  function show() {
    const rows = order.slice(shown, shown + maxRows).map(makeRow);
    body.append(...rows);
    shown += rows.length;
    more.hidden = shown >= order.length;
    more.textContent = `Show more (${number(order.length - shown)})`;
  }
  function sort(column) {
    isUp = sorted === column ? !isUp : columns[column][2] !== 'num';
    sorted = column;
    const value = columns[column][1], sign = isUp ? 1 : -1;
    order = items.map(item => [value(item), item]).sort(([a], [b]) =>
        a < b ? -sign : a > b ? sign : 0).map(pair => pair[1]);
    headings.forEach((heading, i) => heading.setAttribute('aria-sort',
        i !== column ? 'none' : isUp ? 'ascending' : 'descending'));
    body.replaceChildren();
    shown = 0;
    show();
  }
  const headings = columns.map(([text, , kind], i) =>
      html('th', {class: kind, scope: 'col', 'aria-sort': 'none'},
          html('button', {type: 'button', class: 'sort', text,
            onclick: () => sort(i)})));
  show();
  return html('div', {}, html('div', {class: 'scroll', tabindex: 0, role: 'region',
    'aria-label': 'Table'},
    html('table', {}, html('thead', {}, html('tr', {}, ...headings)), body)), more);
}

// A table that is made when it is opened for the first time.
function lazyTable(summary, columns, items, select) {
  const details = html('details', {}, summary);
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1)
      details.append(table(columns, items, select));
  });
  return details;
}

function bufferTable(panel) {
  const {buffers} = panel.model;
  return lazyTable(html('summary', {text: 'All buffers as a table'}), [
    ['name', b => b.name], ['operation', b => b.operation], ['type', b => b.type],
    ['bytes', b => b.size, 'num'], ['offset', b => b.offset, 'num'],
    ['begin', b => b.begin, 'num'], ['end', b => b.end, 'num'],
    ['shares with', b => b.sharers, 'num'], ['location', b => b.location || '', 'path'],
    ['first access', b => b.firstAccess || '', 'path'],
    ['last access', b => b.lastAccess || '', 'path'],
  ], buffers, b => panel.select(b));
}

function conflictTable(panel) {
  const {sync, buffers} = panel.model.pool;
  if (!sync)
    return [];
  const text = `${plural(sync.barriers.length, 'barrier')}, ` +
      `${number(sync.insertedBarriers.length)} inserted, ` +
      `${plural(sync.numConflicts, 'pair')} kept apart` +
      (sync.note ? ': ' + sync.note : '');
  const pairs = lazyTable(html('summary', {text}), [
    ['buffer', c => buffers[c.first].name], ['buffer', c => buffers[c.second].name],
    ['rule', c => c.rule], ['because', c => c.description],
    ['between', c => c.from, 'path'], ['and', c => c.to, 'path'],
  ], sync.conflicts);
  pairs.classList.add('sync');
  const barriers = lazyTable(html('summary', {text: 'Barriers'}), [
    ['barrier', b => b.text], ['tick', b => b.tick ?? '', 'num'],
  ], panel.barriers);
  return [pairs, barriers];
}
