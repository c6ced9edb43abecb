// Mouse, touch and keys on a chart.

const tip = $('tip');
function hideTip() {
  tip.hidden = true;
}
function showTip(title, facts, x, y) {
  tip.replaceChildren(html('b', {class: 'mono', text: title}),
      html('dl', {}, ...facts.filter(fact => fact[1]).flatMap(
          ([key, value]) => [html('dt', {text: key}), html('dd', {text: value})])));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16;
  const top = Math.min(y + 12, innerHeight - box.height - 4);
  tip.style.left = Math.max(4, left) + 'px';
  tip.style.top = Math.max(4, top) + 'px';
}

function place(panel, event) {
  const box = panel.chart.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  return {x, y, tick: panel.painter.tickAt(x), offset: panel.painter.offsetAt(y)};
}

function hoverAt(panel, event) {
  const here = place(panel, event), {painter, model} = panel;
  const isInside = here.x >= layout.left && here.x <= painter.right;
  const b = isInside && here.y >= painter.mapTop && here.y <= painter.mapBottom
      ? model.find(here.tick, here.offset) : null;
  panel.hover(b);
  if (b)
    showTip(b.name, [['operation', b.operation], ['type', b.type],
      ['bytes', exact(b.size)], ['lifetime', lifetime(b)],
      ['offset', number(b.offset)], ['shares with', plural(b.sharers, 'buffer')],
      ['location', cutLeft(b.location, 60)]], event.clientX, event.clientY);
  else if (isInside && here.y >= painter.curveTop && here.y <= painter.curveBottom)
    showTip('tick ' + number(Math.floor(here.tick)),
        [['alive', exact(model.liveAt(Math.floor(here.tick)))]],
        event.clientX, event.clientY);
  else
    hideTip();
}

// A plain wheel scrolls the page, as everywhere. A pinch on a pad is a wheel
// with Ctrl.
function addWheel(panel) {
  panel.chart.addEventListener('wheel', event => {
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!panel.painter || (!isSideways && !event.ctrlKey && !event.altKey))
      return;
    if (isSideways) {
      const delta = event.deltaX || event.deltaY;
      panel.pan(delta / panel.painter.w * (panel.view.t1 - panel.view.t0), 0);
    } else {
      const here = place(panel, event);
      const factor = Math.exp(clamp(event.deltaY, -200, 200) * .003);
      panel.zoomBy(factor, here.tick, event.altKey, here.offset);
    }
    event.preventDefault();
  }, {passive: false});
}

// One pointer drags or selects, two zoom. A click looks at a tick, and pins.
function addPointers(panel) {
  const {chart} = panel, pointers = new Map();
  let start = null;
  const middle = () => {
    const [a, b] = [...pointers.values()];
    return {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2,
      distance: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 10)};
  };
  const begin = event => {
    const here = place(panel, event);
    start = {...here, view: panel.view, isBox: event.pointerType !== 'touch' &&
        (event.shiftKey || panel.isWhole()), hasMoved: false};
    if (pointers.size === 2)
      start = {...start, ...middle(), isPinch: true,
        centre: panel.painter.tickAt(middle().x)};
  };
  const boxTo = here => ({x: Math.min(start.x, here.x), y: Math.min(start.y, here.y),
    width: Math.abs(here.x - start.x), height: Math.abs(here.y - start.y)});

  chart.addEventListener('pointerdown', event => {
    if (event.button !== 0 || !panel.painter)
      return;
    try {
      chart.setPointerCapture(event.pointerId);
    } catch {
      // A pointer that is gone already cannot be captured.
    }
    pointers.set(event.pointerId, place(panel, event));
    begin(event);
  });
  chart.addEventListener('pointermove', event => {
    if (!panel.painter)
      return;
    if (!pointers.has(event.pointerId)) {
      hoverAt(panel, event);
      return;
    }
    const here = place(panel, event);
    pointers.set(event.pointerId, here);
    const {t0, t1, b0, b1} = start.view, {painter} = panel;
    if (start.isPinch && pointers.size === 2) {
      const now = middle(), width = (t1 - t0) * start.distance / now.distance;
      const left = start.centre - (now.x - layout.left) / painter.w * width;
      panel.zoom({t0: left, t1: left + width, b0, b1});
      start.hasMoved = true;
      return;
    }
    if (Math.abs(here.x - start.x) + Math.abs(here.y - start.y) > 6)
      start.hasMoved = true;
    if (!start.hasMoved)
      return;
    hideTip();
    if (start.isBox) {
      panel.selection = boxTo(here);
      panel.requestOverlay();
      return;
    }
    const ticks = (start.x - here.x) / painter.w * (t1 - t0);
    const offsets = event.pointerType === 'touch' ? 0
        : (here.y - start.y) / (painter.mapBottom - painter.mapTop) * (b1 - b0);
    panel.zoom({t0: t0 + ticks, t1: t1 + ticks, b0: b0 + offsets, b1: b1 + offsets});
  });
  const finish = event => {
    if (!pointers.delete(event.pointerId) || !start)
      return;
    const here = place(panel, event), {painter} = panel, was = start;
    start = null;
    const box = panel.selection;
    panel.selection = null;
    panel.requestOverlay();
    if (event.type === 'pointercancel')
      return;
    if (!was.hasMoved) {
      clickAt(panel, here);
    } else if (box) {
      const isHigh = box.height > 12 && box.y + box.height > painter.mapTop;
      panel.zoom({
        t0: box.width > 6 ? painter.tickAt(box.x) : panel.view.t0,
        t1: box.width > 6 ? painter.tickAt(box.x + box.width) : panel.view.t1,
        b0: isHigh ? painter.offsetAt(box.y + box.height) : panel.view.b0,
        b1: isHigh ? painter.offsetAt(Math.max(box.y, painter.mapTop)) : panel.view.b1});
    }
  };
  chart.addEventListener('pointerup', finish);
  chart.addEventListener('pointercancel', finish);
  chart.addEventListener('pointerleave', () => {
    hideTip();
    panel.hover(null);
  });
  chart.addEventListener('dblclick', event => {
    const here = place(panel, event), b = panel.model.find(here.tick, here.offset);
    if (b && here.y >= panel.painter.mapTop)
      panel.zoomTo(b);
    else
      panel.zoom(panel.model.full);
  });
}

function clickAt(panel, here) {
  const {painter, model} = panel;
  if (here.x < layout.left || here.x > painter.right)
    return;
  panel.goTo(Math.floor(here.tick));
  panel.pin(here.y >= painter.mapTop && here.y <= painter.mapBottom
      ? model.find(here.tick, here.offset) : null);
}

// The keys of a chart that has the focus; page.html lists them.
const chartKeys = {
  ArrowLeft: (panel, event) => panel.step(-1, event.shiftKey ? 10 : 1),
  ArrowRight: (panel, event) => panel.step(1, event.shiftKey ? 10 : 1),
  ArrowDown: panel => panel.pinNext(1),
  ArrowUp: panel => panel.pinNext(-1),
  Home: panel => panel.goTo(panel.model.full.t0),
  End: panel => panel.goTo(panel.model.full.t1 - 1),
  PageUp: panel => panel.pan(-(panel.view.t1 - panel.view.t0) / 2, 0),
  PageDown: panel => panel.pan((panel.view.t1 - panel.view.t0) / 2, 0),
  '+': panel => panel.zoomBy(.5),
  '=': panel => panel.zoomBy(.5),
  '-': panel => panel.zoomBy(2),
  '0': panel => panel.zoom(panel.model.full),
  p: panel => panel.goTo(panel.model.pool.peakTick),
  Enter: panel => panel.pinned ? panel.zoomTo(panel.pinned) : panel.pinNext(1),
  Escape: panel => panel.pin(null),
};
function addChartListeners(panel) {
  addWheel(panel);
  addPointers(panel);
  panel.chart.addEventListener('keydown', event => {
    const action = chartKeys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    action(panel, event);
  });
}
