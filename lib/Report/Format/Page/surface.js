// Where a chart is painted: a canvas on the page, or a file of SVG.

const chartFont = '11px ui-monospace, "DejaVu Sans Mono", Consolas, monospace';
// The width of a character of that font.
const charWidth = 6.7;

class CanvasSurface {
  constructor(context) {
    this.context = context;
    context.font = chartFont;
  }
  rect(x, y, w, h, colour, alpha = 1) {
    this.context.globalAlpha = alpha;
    this.context.fillStyle = colour;
    this.context.fillRect(x, y, w, h);
    this.context.globalAlpha = 1;
  }
  frame(x, y, w, h, colour, width = 1, dash = []) {
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.setLineDash(dash);
    this.context.strokeRect(x, y, w, h);
  }
  line(points, colour, width = 1, dash = []) {
    const {context} = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    points.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
    context.stroke();
  }
  area(points, colour, alpha) {
    const {context} = this;
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.beginPath();
    points.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
    context.fill();
    context.globalAlpha = 1;
  }
  text(x, y, text, colour, anchor = 'start', halo = '') {
    const {context} = this;
    context.textAlign = anchor === 'middle' ? 'center' : anchor;
    if (halo) {
      context.setLineDash([]);
      context.strokeStyle = halo;
      context.lineWidth = 4;
      context.lineJoin = 'round';
      context.strokeText(text, x, y);
    }
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }
  clipped(x, y, w, h, paint) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, w, h);
    this.context.clip();
    paint();
    this.context.restore();
  }
}

class SvgSurface {
  constructor(width, height, background) {
    this.size = [width, height];
    this.parts = [];
    this.clips = 0;
    this.rect(0, 0, width, height, background);
  }
  static escape(text) {
    return String(text).replace(/[&<>"]/g, c =>
        ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}[c]))
        .replace(/[^\t\n\r\x20-\uffff]/g, ' ');
  }
  put(tag, attributes, text) {
    const all = Object.entries(attributes).map(([key, value]) =>
        ` ${key}="${SvgSurface.escape(
            typeof value === 'number' ? +value.toFixed(2) : value)}"`);
    this.parts.push(`<${tag}${all.join('')}` + (text === undefined
        ? '/>' : `>${SvgSurface.escape(text)}</${tag}>`));
  }
  rect(x, y, w, h, colour, alpha = 1) {
    this.put('rect', {x, y, width: w, height: h, fill: colour,
      ...(alpha < 1 ? {'fill-opacity': alpha} : {})});
  }
  frame(x, y, w, h, colour, width = 1, dash = []) {
    this.put('rect', {x, y, width: w, height: h, fill: 'none', stroke: colour,
      'stroke-width': width, 'stroke-dasharray': dash.join(' ') || 'none'});
  }
  line(points, colour, width = 1, dash = []) {
    this.put('polyline', {points: points.map(p => p.map(n => n.toFixed(2))).join(' '),
      fill: 'none', stroke: colour, 'stroke-width': width,
      'stroke-dasharray': dash.join(' ') || 'none'});
  }
  area(points, colour, alpha) {
    this.put('polygon', {points: points.map(p => p.map(n => n.toFixed(2))).join(' '),
      fill: colour, 'fill-opacity': alpha});
  }
  text(x, y, text, colour, anchor = 'start', halo = '') {
    this.put('text', {x, y, fill: colour, 'text-anchor': anchor, ...(halo ? {
      stroke: halo, 'stroke-width': 4, 'stroke-linejoin': 'round',
      'paint-order': 'stroke'} : {})}, text);
  }
  clipped(x, y, w, h, paint) {
    const id = 'clip' + this.clips++;
    this.parts.push(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${w}" ` +
        `height="${h}"/></clipPath><g clip-path="url(#${id})">`);
    paint();
    this.parts.push('</g>');
  }
  finish() {
    const [width, height] = this.size;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" ` +
        `height="${height}" viewBox="0 0 ${width} ${height}" ` +
        `style="font: ${SvgSurface.escape(chartFont)}">\n` +
        this.parts.join('\n') + '\n</svg>\n';
  }
}
