// A chart as a file: SVG for documents, PNG for everything else.

function save(blob, name) {
  const link = html('a', {href: URL.createObjectURL(blob), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const fileName = (panel, extension) => 'memory-map-' +
    (panel.model.pool.function || panel.model.key).replace(/[^\w.-]+/g, '-') + extension;

function exportSvg(panel) {
  const {width, height} = panel.size;
  const surface = new SvgSurface(width, height, panel.app.colours.card);
  panel.painter.paint(surface);
  panel.painter.paintOverlay(surface, {tick: null, pinned: panel.pinned});
  save(new Blob([surface.finish()], {type: 'image/svg+xml'}), fileName(panel, '.svg'));
}

function exportPng(panel) {
  const canvas = html('canvas');
  canvas.width = panel.base.width;
  canvas.height = panel.base.height;
  const context = canvas.getContext('2d');
  context.drawImage(panel.base, 0, 0);
  context.drawImage(panel.overlay, 0, 0);
  canvas.toBlob(blob => save(blob, fileName(panel, '.png')));
}
