// Numbers as text, and elements. Text from a report goes into the page only as
// text (textContent, attributes), never as markup.

const $ = id => document.getElementById(id);

function add(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes))
    if (key === 'text')
      node.textContent = value;
    else if (key.startsWith('on'))
      node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== '')
      node.setAttribute(key, value);
  node.append(...children.filter(child => child !== null && child !== ''));
  return node;
}
const html = (tag, attributes = {}, ...children) =>
    add(document.createElement(tag), attributes, children);

const number = n => n.toLocaleString('en-US');
const plural = (n, noun) => number(n) + ' ' + noun + (n === 1 ? '' : 's');
function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = 0, scaled = Math.abs(n);
  while (scaled >= 1024 && unit + 1 < units.length) {
    scaled /= 1024;
    ++unit;
  }
  const digits = unit === 0 || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  return (n < 0 ? '−' : '') +
      (Number.isInteger(scaled) ? scaled : scaled.toFixed(digits)) + ' ' +
      units[unit];
}
const exact = n => n < 1024 ? bytes(n) : `${bytes(n)} (${number(n)})`;
const percent = (part, whole) =>
    whole ? (100 * part / whole).toFixed(1) + ' %' : '–';
const signed = n => (n > 0 ? '+' : '') + bytes(n);
// A text that is too long, without its left: what tells two paths apart is at the
// right. It begins with a whole folder if there is one.
function cutLeft(text, most) {
  if (!text || text.length <= most)
    return text;
  const part = text.slice(text.length - most + 1), slash = part.search(/[/\\]/);
  return '…' + part.slice(Math.max(slash, 0));
}
// The same for the location in `linalg.fill at folder/file:line:column`.
function cutPath(text, most) {
  const at = (text || '').lastIndexOf(' at ') + 4;
  return at < 4 ? cutLeft(text, most) : text.slice(0, at) + cutLeft(text.slice(at), most);
}
const clamp = (n, low, high) => Math.min(Math.max(n, low), high);

// Round distances between grid lines: 1, 2, 5, 10, ... or powers of two.
function niceStep(range, count, binary) {
  const raw = Math.max(range / count, 1);
  if (binary)
    return 2 ** Math.ceil(Math.log2(raw));
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find(factor => factor * power >= raw);
}

// The multiples of `step` in a range. Counted: near the largest numbers, adding
// a step may change nothing.
function multiples(from, to, step) {
  const first = Math.ceil(from / step);
  return Array.from({length: 60}, (_, i) => (first + i) * step)
      .filter(n => n <= to);
}

// The index of the last element of a sorted array that is at most `value`, or -1.
function lastAtMost(sorted, value) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

// Call `action` once, a little after the last of several calls.
function debounce(action, delay) {
  let pending = 0;
  return (...values) => {
    clearTimeout(pending);
    pending = setTimeout(() => action(...values), delay);
  };
}

// Call `action` once before the next frame, however often it was asked for.
function oncePerFrame(action) {
  let isPending = false;
  return () => {
    if (isPending)
      return;
    isPending = true;
    requestAnimationFrame(() => {
      isPending = false;
      action();
    });
  };
}
