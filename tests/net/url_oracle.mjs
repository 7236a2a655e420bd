// Hostile URLs, made at random, as we read them and as Node does, which follows the WHATWG standard. Where both read
// one, they must read the same; where Node refuses, so must we; where only we do, it is for one of our own reasons.
// usage: node url_oracle.mjs URL_LINES [COUNT [SEED]]    The last line is "N passed, N failed".
import { execFileSync } from 'node:child_process';

const [program, count = '100000', first = '20261121'] = process.argv.slice(2);
const OURS = new Set(['!host', '!host_escaped', '!host_mixed', '!port_spelling', '!credentials', '!too_long']);
let seed = Number(first);
function random() { // mulberry32
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const pick = (list) => list[Math.floor(random() * list.length)];

const STARTS = ['http://', 'https://', 'HTTP://', 'http:', 'http:/', 'http:///', 'http:\\\\', 'https:\\', 'ht\ttp://', ' http://', '\0http://',
    'ftp://', '//', '/', '', '\\\\', 'http://user@', 'http://user:pw@', 'http://a@b@', 'http:// ', 'javascript:', 'http\n://'];
const HOSTS = ['example.com', 'EXAMPLE.com.', '127.0.0.1', '127.1', '0x7f.1', '017700000001', '2130706433', '[::1]', '[::ffff:1.2.3.4]',
    '[1:2:3::4%25eth0]', '[1::2::3]', 'a..b', 'xn--fsq.com', 'b\u00fccher.de', 'fa\u00df.de', '\uff11\uff12\uff17\uff0e\uff10\uff0e\uff10\uff0e\uff11',
    '127\u30020\u30020\u30021', '\u2460\u2461\u2466.0.0.1', 'ex\u00adample.com', 'exa\u200dmple.com', 'a_b.com', '-a.com', 'a-.com', '192.168.0.256',
    '1.2.3.4.5', '1.2.3', '0.0.0.0x', '0x', '09.1.1.1', '1.2.3.08', '256', '4294967296', '4294967295', 'a.0x1', 'a.1', '[::127.0.0.1]',
    '[0:0:0:0:0:0:13.1.68.3]', '[::1.2.3]', '[::01.2.3.4]', '[12345::]', '[1:2:3:4:5:6:7:8:9]', '[1:2:3:4:5:6:7:]', 'localhost', 'loc%61lhost',
    '%31%32%37.0.0.1', 'exa%00mple', 'a b.com', 'a\tb.com', 'a<b.com', 'a|b', 'a^b', '\u65e5\u672c\u8a9e.jp', '\u0130.com', '\u212aelvin.com', '\uff0e',
    '\u3002com', 'xn--a', 'xn--', 'XN--FSQ.com', 'a.xn--zz', '\u{1f600}.com', '1.2.3.4.', '1..2', '.com', '.'];
const PORTS = ['', '', '', '', ':80', ':443', ':0', ':65535', ':65536', ':080', ':', ':8 0', ':a', ':-1', ':\uff18\uff10'];
const TAILS = ['', '/', '/a/../b', '/./a', '/%2e%2e/x', '/%2E/y', '/a\\b', '?x=1', '?x=<y>&z="\u00e9"', '#f', '/a b', '/\u00e9', '/\0', '/%zz', '/a%',
    '/..', '/../..', '/a/b/../../../c', '\\..\\x', '/a?b#c?d', '/%00', '/\u{1f600}', '/a;b=c', '/"<>`{}|', '/\x7f', "?'"];
const BASES = ['', '', '', '', 'http://base.com/a/b?c', 'https://base.org:8443/x/'];
const ODD = ['\t', '\n', '\r', ' ', '/', '\\', '@', '#', '?', ':', '.', '%', '[', ']', '\u00ad', '\u3002', '\uff10', '%2e', '%40', 'x', '0', '\u200b',
    '\u00df', '\u2024', '\uff0f', '\uff20'];

function change(text) {
    if (!text || random() > 0.3) return text;
    const at = Math.floor(random() * text.length);
    return text.slice(0, at) + pick(ODD) + text.slice(at + (random() < 0.5 ? 1 : 0));
}

const isWhole = (text) => !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

// Some editions of Node leave "/.x/.." as it is.
function withoutDots(path) {
    const kept = [], parts = path.split('/').slice(1);
    parts.forEach((part, i) => {
        const up = part === '..', here = part === '.';
        if (up) kept.pop();
        if (!up && !here) kept.push(part);
        else if (i === parts.length - 1) kept.push('');
    });
    return '/' + kept.join('/');
}

// As we write it: no final dot of a host, IPv6 with an IPv4 end in that form, '^' escaped as newer editions have it.
function oneSpelling(href) {
    const url = new URL(href);
    url.hash = '';
    const path = url.href.slice(url.origin.length), query = (path + '?').indexOf('?');
    return url.origin.replace(/\.(?=$|:\d)/, '') + withoutDots(path.slice(0, query)).replaceAll('^', '%5E') + path.slice(query);
}

function expected({ url, base }) {
    try {
        const read = base ? new URL(url, base) : new URL(url);
        if (!/^https?:$/.test(read.protocol) || read.username || read.password) return '!';
        return oneSpelling(read.href);
    } catch {
        return '!';
    }
}

const rows = [];
while (rows.length < Number(count)) {
    const url = change(change(pick(STARTS) + pick(HOSTS) + pick(PORTS) + pick(TAILS)));
    if (isWhole(url)) rows.push({ url, base: pick(BASES) });
}
const lines = execFileSync(program, { input: rows.map((row) => JSON.stringify(row) + '\n').join(''), maxBuffer: 1 << 28 }).toString().split('\n');
let good = 0, bad = 0;
rows.forEach((row, i) => {
    const want = expected(row), got = lines[i];
    const same = got[0] === '!' ? want[0] === '!' || OURS.has(got) : want[0] !== '!' && (got.includes('[') ? oneSpelling(got) : got) === want;
    if (same) good++;
    else if (bad++ < 20) console.log(`FAIL  ${JSON.stringify(row)}: ${JSON.stringify(got)}, Node reads ${JSON.stringify(want)}`);
});
console.log(`${good} passed, ${bad} failed`);
process.exitCode = bad ? 1 : 0;
