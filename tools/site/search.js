// Search over INDEX, [address, page, heading, text] of each section: all words must stand in it; headings and names count most. The address keeps the words, so that a search can be linked: page.html?q=words
(function () {
  'use strict';
  var query = document.getElementById('query');
  var list = document.getElementById('found');
  var article = document.querySelector('article');

  function score(entry, words) {
    var title = (entry[1] + ' ' + entry[2]).toLowerCase();
    var text = entry[3].toLowerCase();
    var sum = 0;
    for (var i = 0; i < words.length; i++) {
      var hits = text.split(words[i]).length - 1;
      if (title.indexOf(words[i]) >= 0) sum += 20;
      else if (!hits) return 0;
      sum += Math.min(hits, 5);
    }
    return sum;
  }

  function element(tag, text) {
    var made = document.createElement(tag);
    made.textContent = text;
    return made;
  }

  function show() {
    var words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    var found = INDEX.map(function (entry) { return [score(entry, words), entry]; })
      .filter(function (pair) { return words.length && pair[0]; })
      .sort(function (a, b) { return b[0] - a[0]; }).slice(0, 30);
    list.textContent = '';
    found.forEach(function (pair) {
      var entry = pair[1], item = document.createElement('li'), link = element('a', entry[1] === entry[2] ? entry[1] : entry[1] + ': ' + entry[2]);
      var at = Math.max(0, entry[3].toLowerCase().indexOf(words[0]) - 60);
      link.href = entry[0];
      link.onclick = clear;
      item.append(link, element('p', (at ? '... ' : '') + entry[3].slice(at, at + 180)));
      list.append(item);
    });
    if (words.length && !found.length) list.append(element('li', 'Nothing has all of these words.'));
    list.hidden = !words.length;
    article.hidden = !!words.length;
  }

  function clear() {
    query.value = '';
    show();
  }

  query.addEventListener('input', show);
  query.value = new URLSearchParams(location.search).get('q') || '';
  if (query.value) show();
})();
