/* oracle.mjs - what a person sees of a page, said a second time and in another way than lib/html does it.
 *
 * parse5 builds the tree of the HTML standard; css-select matches the selectors of its <style> sheets; the cascade
 * (importance, specificity, order) is worked out in full for every element. The rules of sight:
 *   - display:none, [hidden], type=hidden, popover, closed dialog; elements that browsers never paint (head, script, style,
 *     template, title, datalist, noscript with scripting on, frames and fallback content of object, video, audio, canvas,
 *     iframe); metadata of SVG;
 *   - visibility hidden or collapse, unless undone inside; opacity below 0.1; text below 4 px; transparent text or text in
 *     the color of its ground (contrast below 1.5); boxes moved 999 px and more out of sight, clipped away, or of a pixel
 *     with overflow hidden;
 *   - white space collapses, except in pre, textarea and the like; blocks and <br> end a line, table cells part words.
 * Media queries are answered for a screen of 1280 x 800. */
import { parse } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { compile, is } from 'css-select';

const NEVER = new Set(('area base basefont datalist head link meta noembed noframes param rp script style template title source track ' +
    'noscript object video audio canvas iframe frame frameset embed input img').split(' '));
const SVG_NEVER = new Set(['title', 'desc', 'metadata', 'defs', 'symbol', 'clipPath', 'mask', 'pattern', 'linearGradient', 'radialGradient', 'marker', 'filter']);
const BLOCKS = new Set(('address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption ' +
    'figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre ' +
    'search section summary table tbody tfoot thead tr ul xmp').split(' '));
const CELLS = new Set(['td', 'th']);

/* ---- style sheets ---- */

const strip = css => css.replace(/\/\*[^]*?(\*\/|$)/g, ' ').replace(/<!--|-->/g, ' ');

/* Top-level statements: [prelude, block or null]. */
function* statements(css) {
    for (let at = 0; at < css.length;) {
        let depth = 0, open = -1, i = at, quote = '';
        for (; i < css.length; i++) {
            const c = css[i];
            if (c === '\\') { i++; continue; }
            if (quote) { if (c === quote || c === '\n') quote = ''; continue; }
            if (c === '"' || c === "'") quote = c;
            else if (c === '{') { if (!depth++) open = i; }
            else if (c === '}') { if (depth && !--depth) break; }
            else if (c === ';' && !depth) break;
        }
        if (open >= 0) yield [css.slice(at, open).trim(), css.slice(open + 1, i)];
        else if (css.slice(at, i).trim()) yield [css.slice(at, i).trim(), null];
        at = i + 1;
    }
}

function pixels(text) {
    const m = /(-?[\d.]+)\s*(px|em|rem|pt|in|cm)?/.exec(text);
    if (!m) return NaN;
    return m[1] * ({ em: 16, rem: 16, pt: 4 / 3, in: 96, cm: 37.8 }[m[2]] || 1);
}

/* Would a browser with a window of 1280 x 800 apply this? */
function media_applies(list) {
    if (!list.trim()) return true;
    return list.toLowerCase().split(',').some(query => {
        const not = /^\s*not\b/.test(query);
        let ok = !/\b(print|speech|aural|braille|handheld|projection|tty|tv|embossed)\b/.test(query);
        for (const [, feature, value] of query.matchAll(/\(\s*([\w-]+)\s*(?::\s*([^)]*))?\)/g)) {
            const size = /height/.test(feature) ? 800 : 1280, v = pixels(value || '');
            if (/^min-(device-)?(width|height)/.test(feature)) ok &&= size >= v;
            else if (/^max-(device-)?(width|height)/.test(feature)) ok &&= size <= v;
            else if (feature === 'orientation') ok &&= value.trim() === 'landscape';
            else if (/device-pixel-ratio|resolution/.test(feature)) ok &&= /^max/.test(feature);
            else if (/^prefers|^hover|^pointer|^any-/.test(feature)) ok &&= /no-preference|light|^\s*hover|fine/.test(value || '');
            else if (/-(high-contrast|transform-3d)/.test(feature)) ok = false;
        }
        return not ? !ok : ok;
    });
}

function declarations(text) {
    const out = [];
    for (const [prelude, block] of statements(text)) {
        if (block !== null) continue;
        const colon = prelude.indexOf(':');
        if (colon < 0) continue;
        const name = unescape_css(prelude.slice(0, colon)).trim().toLowerCase();
        let value = unescape_css(prelude.slice(colon + 1)).trim().toLowerCase().replace(/\s+/g, ' ');
        const important = /!\s*important$/.test(value);
        out.push({ name, value: value.replace(/\s*!\s*important$/, ''), important });
    }
    return out;
}
const unescape_css = s => s.replace(/\\([0-9a-f]{1,6})\s?/gi, (_, h) => String.fromCodePoint(Math.min(parseInt(h, 16), 0x10FFFF))).replace(/\\(.)/g, '$1');

function specificity(selector) {
    const s = selector.replace(/"[^"]*"|'[^']*'/g, '').replace(/:(not|is|where|has)\(/g, ' ');
    const ids = (s.match(/#[\w-]/g) || []).length, classes = (s.match(/\.[\w-]|\[|(^|[^:]):(?!:)[\w-]/g) || []).length;
    return ids * 1e6 + classes * 1e3 + (s.match(/(^|[\s>+~,(])[a-z][\w-]*/gi) || []).length;
}

function add_sheet(css, rules) {
    for (const [prelude, block] of statements(css)) {
        if (block === null) continue;
        const at = /^@([\w-]+)\s*([^]*)/.exec(prelude);
        if (at) {
            if ((at[1] === 'media' && media_applies(at[2])) || at[1] === 'supports' || at[1] === 'layer') add_sheet(block, rules);
            continue;
        }
        const found = declarations(block);
        if (!found.some(d => READ.has(d.name))) continue;
        for (const selector of split_list(prelude)) {
            if (/::?(before|after|first-line|first-letter|selection|placeholder|-webkit-|-moz-|-ms-|marker|backdrop)/.test(selector)) continue;
            if (/:(hover|focus|active|visited|target|checked|focus-within|focus-visible|link|disabled)/.test(selector) && !/:not\(/.test(selector)) {
                if (!/:link/.test(selector)) continue;
            }
            try {
                rules.push({ match: compile(selector, { xmlMode: false }), weight: specificity(selector), found });
            } catch { /* a browser drops what it cannot read, too */ }
        }
    }
}

function split_list(text) {
    const out = [];
    let depth = 0, from = 0;
    for (let i = 0; i < text.length; i++) {
        if ('(['.includes(text[i])) depth++;
        else if (')]'.includes(text[i])) depth--;
        else if (text[i] === ',' && !depth) out.push(text.slice(from, i)), from = i + 1;
    }
    out.push(text.slice(from));
    return out.map(s => s.trim()).filter(Boolean);
}

/* ---- one element ---- */

const READ = new Set(('display visibility opacity font-size font color background background-color left top right bottom text-indent position clip ' +
    'clip-path width height max-height max-width overflow overflow-x overflow-y content-visibility margin-left margin-top white-space').split(' '));

function computed(element, rules) {
    const best = new Map();
    const take = (d, weight, order) => {
        if (!READ.has(d.name) || !d.value) return;
        const rank = [d.important ? 1 : 0, weight, order], old = best.get(d.name);
        if (!old || rank[0] > old.rank[0] || (rank[0] === old.rank[0] && (rank[1] > old.rank[1] || (rank[1] === old.rank[1] && rank[2] >= old.rank[2]))))
            best.set(d.name, { value: d.value, rank });
    };
    rules.forEach((rule, order) => {
        if (is(element, rule.match)) for (const d of rule.found) take(d, rule.weight, order);
    });
    if (element.attribs.style) declarations(strip(element.attribs.style)).forEach((d, i) => take(d, 1e12, i));
    const style = {};
    for (const [name, { value }] of best) style[name] = value;
    return style;
}

const NAMES = { black: '000', white: 'fff', red: 'f00', green: '008000', blue: '00f', yellow: 'ff0', gray: '808080', grey: '808080', silver: 'c0c0c0', navy: '000080' };
/* [r, g, b, a], or null where it says nothing. */
function color(text) {
    if (!text) return null;
    if (/(^|\s)transparent/.test(text)) return [0, 0, 0, 0];
    let m = /rgba?\(([^)]*)\)/.exec(text);
    if (m) {
        const v = m[1].split(/[\s,/]+/).filter(Boolean).map(x => x.endsWith('%') ? parseFloat(x) * 2.55 : parseFloat(x));
        return [v[0], v[1], v[2], v.length > 3 ? v[3] : 1];
    }
    m = /#([0-9a-f]{3,8})/.exec(text);
    const word = /(^|\s)([a-z]+)/.exec(text);
    const hex = m ? m[1] : word && NAMES[word[2]];
    if (!hex) return null;
    const full = hex.length < 5 ? [...hex].map(c => c + c).join('') : hex;
    const n = i => parseInt(full.slice(i, i + 2), 16);
    return [n(0), n(2), n(4), full.length > 6 ? n(6) / 255 : 1];
}
function luminance([r, g, b]) {
    const f = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
}
function alike(front, ground) {
    if (!front) return false;
    if (front[3] < 0.1) return true;
    const a = luminance(front), b = luminance(ground || [255, 255, 255]);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 1.5;
}

const far = v => v !== undefined && /^-/.test(v) && Math.abs(v.endsWith('%') ? parseFloat(v) * 12.8 : pixels(v)) >= 999;
const tiny = v => v !== undefined && /^[\d.]/.test(v) && !/%/.test(v) && pixels(v) <= 1;

/* What its text is: the state of the parent, changed by the element. */
function state_of(element, parent, rules) {
    const name = element.name, style = computed(element, rules), s = { ...parent };
    const shown = style.display && style.display !== 'none';
    s.gone ||= style.display === 'none' || NEVER.has(name) && !(name === 'noscript' && false);
    if ('hidden' in element.attribs || 'popover' in element.attribs) s.gone ||= !shown;
    if (name === 'dialog' && !('open' in element.attribs)) s.gone ||= !shown;
    if (element.namespace?.endsWith('/svg') && SVG_NEVER.has(name)) s.gone = true;
    s.gone ||= style['content-visibility'] === 'hidden' || parseFloat(style.opacity) < (/%/.test(style.opacity) ? 10 : 0.1);
    if (style.visibility) s.unseen = /hidden|collapse/.test(style.visibility);
    const size = style['font-size'] || (/(?:^|\s)([\d.]+(?:px|pt|em|rem|%))/.exec(style.font || '') || [])[1];
    if (size && /^[\d.]/.test(size)) s.small = (size.endsWith('%') ? parseFloat(size) * 0.16 : pixels(size)) < 4;
    const front = color(style.color), ground = color(style['background-color'] || style.background);
    if (/url\(|gradient/.test(style.background || '')) s.ground = [127, 127, 127, 1];
    if (ground && ground[3] > 0.1) s.ground = ground;
    if (front) s.front = front;
    if (front || ground) s.pale = alike(s.front, s.ground);
    const moved = /absolute|fixed|relative/.test(style.position || '');
    s.gone ||= far(style['text-indent']) || (moved && (far(style.left) || far(style.top) || far(style.right) || far(style.bottom))) ||
        far(style['margin-left']) || far(style['margin-top']);
    if (moved && /rect\(\s*(0|1px)/.test(style.clip || '')) s.gone = true;
    if (/inset\((50|100|9\d)%|circle\(0/.test(style['clip-path'] || '')) s.gone = true;
    const clipped = /hidden|clip/.test(style.overflow || '') || /hidden|clip/.test(style['overflow-y'] || '');
    if (clipped && (tiny(style.width) || tiny(style.height) || tiny(style['max-height']) || tiny(style['max-width']))) s.gone = true;
    return s;
}

/* ---- the page ---- */

export function visible(html) {
    const page = parse(html, { treeAdapter: adapter, scriptingEnabled: true });
    const rules = [];
    let text = '';
    const collect = node => {
        if (node.name === 'style' && media_applies(node.attribs.media || '')) add_sheet(strip(node.children.map(c => c.data || '').join('')), rules);
        for (const child of node.children || []) collect(child);
    };
    collect(page);
    const walk = (node, state) => {
        if (node.type === 'text') {
            if (!state.gone && !state.unseen && !state.small && !state.pale) text += node.data;
            return;
        }
        if (node.type === 'comment' || node.type === 'directive') return;
        let inner = state;
        if (node.name) inner = state_of(node, state, rules);
        const edge = BLOCKS.has(node.name) ? '\n' : CELLS.has(node.name) ? ' ' : '';
        if (!inner.gone) text += edge;
        for (const child of node.children || []) walk(child, inner);
        if (!inner.gone) text += edge;
    };
    walk(page, {});
    return collapse(text);
}

/* Both sides go through this: what is compared is words and the gaps between them. */
export const collapse = text => text.replace(/[\s\u0000]+/g, ' ').trim();
