/* compare.mjs - pages read by the program and by the oracle, and what the program says of hidden attacks.
 * usage: node compare.mjs TOADSTONE FILE.jsonl[.zst] [LIST]
 * Rows {"id","text","dataset"}: of data sets, only html-pages and composed-html count. Visible text must be the same, to the
 * word, on 97 % of the pages; the differences go to LIST. A row with "payload" and "subset" (the carrier that hides it) must have
 * the payload reported with the right reason, and must not show it. The last line is "N passed, N failed". */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collapse, visible } from './oracle.mjs';

const REASONS = {
    'display-none': 'display:none', 'visibility-hidden': 'visibility', 'opacity-zero': 'opacity', 'font-zero': 'font-size',
    offscreen: 'off-screen', 'white-on-white': 'color', comment: 'comment', alt: 'alt', meta: 'meta', title: 'title',
    'aria-label': 'aria-label', 'data-attr': 'data-*', 'hidden-input': 'form', noscript: 'noscript',
};
/* What a page hides as a whole may hold the carrier, too. */
const AROUND = ['script', 'comment', 'display:none', 'hidden', 'template', 'visibility'];
const BAR = 0.97, BIG = 1 << 28;

const [, , toadstone, pages, list] = process.argv;
const work = mkdtempSync(join(tmpdir(), 'toadstone-html-'));

function* rows(file) {
    const data = file.endsWith('.zst') ? execFileSync('zstd', ['-dcq', '--long=27', file], { maxBuffer: BIG }) : readFileSync(file);
    for (const line of data.toString().split('\n')) {
        const row = line && JSON.parse(line);
        if (row && (!row.dataset || row.dataset === 'html-pages' || row.dataset === 'composed-html')) yield row;
    }
}

function extract(text) {
    const file = join(work, 'page.html');
    writeFileSync(file, text);
    try {
        return JSON.parse(execFileSync(toadstone, ['extract', '--from', 'html', '--json', file], { maxBuffer: BIG }));
    } catch (e) {
        if (e.status !== 3) throw e; /* 3: cut short at a limit */
        return JSON.parse(e.stdout);
    }
}

/* The first place where two texts part, with what stands around it. */
function difference(ours, oracle) {
    let i = 0;
    while (i < ours.length && ours[i] === oracle[i]) i++;
    return { at: i, ours: ours.slice(Math.max(0, i - 40), i + 120), oracle: oracle.slice(Math.max(0, i - 40), i + 120) };
}

/* Letters and digits alone: whatever the page escaped is the same again. */
const letters_of = text => text.replace(/&(?:[a-z]+|#x?[0-9a-f]+);/gi, '').replace(/[^\p{L}\p{N}]+/gu, '');
const letters = text => letters_of(text).slice(0, 60);

/* Why the carrier of this row failed, or null. */
function carrier_fault(row, read) {
    const key = letters(row.payload), shown = letters_of(read.visible).includes(key);
    const reasons = read.hidden.filter(h => letters_of(h.text).includes(key)).map(h => h.reason.slice('html:hidden('.length, -1));
    if (row.subset.startsWith('visible')) return shown || reasons.some(r => AROUND.includes(r)) ? null : 'not seen';
    if (shown) return 'seen';
    return reasons.includes(REASONS[row.subset]) || reasons.some(r => AROUND.includes(r)) ? null : `reported as ${reasons.join(', ') || 'nothing'}`;
}

let same = 0, total = 0, carried = 0, faults = 0, out = '';
const carriers = new Set();
for (const row of rows(pages)) {
    const read = extract(row.text), ours = collapse(read.visible), oracle = visible(row.text);
    total++;
    if (ours === oracle) same++;
    else out += JSON.stringify({ id: row.id, ...difference(ours, oracle) }, null, 1) + '\n';
    if (!row.payload || !letters_of(row.text).includes(letters(row.payload))) continue; /* cut off with the end of the page */
    const fault = carrier_fault(row, read);
    carried++;
    carriers.add(row.subset);
    if (!fault) continue;
    faults++;
    out += JSON.stringify({ id: row.id, carrier: row.subset, fault }) + '\n';
}
rmSync(work, { recursive: true });
if (list) writeFileSync(list, out);
else process.stdout.write(out);
console.log(`visible text: ${same} of ${total} pages read as parse5 reads them, ${(same * 100 / total).toFixed(1)} %`);
console.log(`hidden attacks: ${carried - faults} of ${carried} reported with the right reason, ${carriers.size} carriers`);
const bars = [total > 0 && same >= total * BAR, faults === 0];
console.log(`${bars.filter(Boolean).length} passed, ${bars.filter(ok => !ok).length} failed`);
process.exit(bars.every(Boolean) ? 0 : 1);
