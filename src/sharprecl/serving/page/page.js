// The page of a server. Whatever comes from a text, a label or a file goes in as text, never as markup.
const $ = id => document.getElementById(id);
const make = (tag, text = '', classes = '') => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (classes) element.className = classes;
  return element;
};
const percent = share => share > .9995 && share < 1 ? '> 99.9 %' : share < .0005 && share > 0 ? '< 0.1 %' : `${(100 * share).toFixed(1)} %`;
const shorten = text => text.length > 60 ? `${text.slice(0, 59)}…` : text;
const tell = problem => { $('problem').textContent = problem; };

// What the server answers, or an error with its one sentence.
const reach = (path, options) => fetch(path, options).catch(error => {
  throw error.name === 'AbortError' ? error : new Error('The server cannot be reached.');
});
const ask = async (path, body, signal) => checked(await reach(path, body === undefined ? {signal} : {
  method: 'POST', signal, body: JSON.stringify(body), headers: {'Content-Type': 'application/json'},
}));
const checked = async response => {
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(found.error ?? `The server answered with status ${response.status}.`);
  return found;
};
const attempt = work => work.catch(error => { if (error.name !== 'AbortError') tell(error.message); });

const about = await ask('page/about').catch(error => { tell(error.message); throw error; });
document.title = `${about.name} · SharpReCL`;
$('name').textContent = about.name;
$('classes-line').textContent = `${about.labels.length.toLocaleString('en')} classes. Type a text, or drop a file of them.`;
$('file').accept = about.file_endings.join();
$('right').append(...about.labels.map(label => new Option(label, label)));

// One text.
let asked, running;
const classify = async () => {
  const text = $('text').value;
  running?.abort();
  const {signal} = running = new AbortController();
  tell('');
  if (!text.trim()) return tell('There is no text yet.');
  const parts = ['go', 'answer', 'words', 'nearest'].map($);
  parts.forEach(part => part.classList.add('busy'));
  try {
    const {answers: [answer]} = await ask('predict', {text, top_k: 5, sets: true}, signal);
    asked = text;
    showAnswer(answer);
    await Promise.all([attempt(showWords(text, answer, signal)), attempt(showNeighbours(text, signal))]);
  } finally {
    if (!signal.aborted) parts.forEach(part => part.classList.remove('busy'));
  }
};
$('ask').addEventListener('submit', event => { event.preventDefault(); attempt(classify()); });
$('text').addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); attempt(classify()); }
});

const showAnswer = answer => {
  const label = make('p', '', 'label'), lines = [label];
  if (answer.label === null) {
    label.textContent = 'No answer';
    lines.push(make('p', answer.reason ?? '', 'soft'));
  } else {
    const name = make('bdi', answer.label), chance = make('span', percent(answer.confidence), 'chance');
    if (answer.abstained) {
      label.textContent = 'Not sure';
      label.classList.add('unsure');
      const guess = make('p', 'Best guess: ');
      guess.append(name, `, ${percent(answer.confidence)}`);
      lines.push(guess);
    } else label.append(name, ' ', chance);
  }
  if (answer.set?.length && about.set_level !== null) {
    const among = make('p', `Sets like this hold the right class in at least ${+(100 * about.set_level).toFixed(1)} of 100 texts: `, 'soft');
    answer.set.forEach((other, place) => among.append(place ? ', ' : '', make('bdi', other)));
    lines.push(among);
  }
  $('told').replaceChildren(...lines);
  $('top').replaceChildren(...answer.classes.map(({label: other, probability}) => {
    const item = make('li', '', other === answer.label ? 'given' : ''), track = make('span', '', 'track'), fill = make('div', '', 'fill');
    fill.style.setProperty('--share', probability);
    track.append(fill);
    item.append(make('bdi', other), track, make('span', percent(probability), 'number'));
    return item;
  }));
  $('correct').hidden = about.corrections === null;
  if (answer.label !== null) $('right').value = answer.label;
  $('saved').textContent = '';
  $('answer').hidden = false;
  for (const part of ['go', 'answer']) $(part).classList.remove('busy');
};

// Words: the stronger, the deeper their colour; below a tenth of the strongest they are left plain.
const showWords = async (text, answer, signal) => {
  const pieces = await ask('page/words', {text}, signal);
  const most = Math.max(0, ...pieces.map(piece => Math.abs(piece.effect ?? 0)));
  const carries = piece => Math.abs(piece.effect ?? 0) >= Math.max(.05, most / 10);
  $('pieces').replaceChildren(...pieces.map(piece => {
    if (!carries(piece)) return document.createTextNode(piece.text);
    const speaks = piece.effect > 0 ? 'for' : 'against', word = make('span', piece.text, speaks);
    const times = Math.exp(Math.abs(piece.effect)), factor = times < 1000 ? times.toPrecision(2) : 'more than 1000';
    word.style.setProperty('--strength', Math.abs(piece.effect) / most);
    word.setAttribute('role', 'button');
    word.tabIndex = -1;
    word.dataset.effect = `“${shorten(piece.text)}” speaks ${speaks} ${answer.label}: without it ${percent(piece.without)} instead of ${percent(answer.confidence)} (odds ${speaks === 'for' ? '×' : '÷'} ${+factor || factor}).`;
    word.setAttribute('aria-label', word.dataset.effect);
    return word;
  }));
  const words = [...$('pieces').querySelectorAll('span')];
  if (words.length) words[0].tabIndex = 0;
  $('legend').hidden = !words.length;
  $('effect').textContent = words.length ? 'Choose a word to see its weight; arrow keys go from one to the next.' : 'No single word carries this answer.';
  $('words').hidden = answer.label === null;
  $('words').classList.remove('busy');
};
$('pieces').addEventListener('focusin', event => {
  $('pieces').querySelectorAll('span').forEach(word => { word.tabIndex = word === event.target ? 0 : -1; });
  if (event.target.dataset.effect) $('effect').textContent = event.target.dataset.effect;
});
$('pieces').addEventListener('pointerover', event => {
  if (event.pointerType === 'mouse' && event.target.dataset.effect) $('effect').textContent = event.target.dataset.effect;
});
$('pieces').addEventListener('keydown', event => {
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
  if (!step) return;
  event.preventDefault();
  const words = [...$('pieces').querySelectorAll('span')], at = words.indexOf(document.activeElement);
  words[(at + step + words.length) % words.length]?.focus();
});

const showNeighbours = async (text, signal) => {
  $('nearest').hidden = false;
  if (!about.neighbours) {
    $('nearest-note').textContent = 'To see them, start the server with --neighbours and the training file; a run keeps no texts.';
    return $('nearest').classList.remove('busy');
  }
  let found;
  while ((found = await ask('page/neighbours', {text}, signal)).texts === null) {
    $('nearest').classList.remove('busy');
    $('nearest-note').textContent = `The server is reading the training texts: ${Math.floor(100 * found.progress)} %.`;
    $('neighbours').replaceChildren();
    await new Promise(resolve => setTimeout(resolve, 1000));
    signal.throwIfAborted();
  }
  $('nearest-note').textContent = '';
  $('neighbours').replaceChildren(...found.texts.map(({text: other, label, similarity}) => {
    const item = make('li'), whole = make('details'), quoted = make('summary', other), line = make('p', '', 'soft');
    quoted.dir = 'auto';
    whole.append(quoted);
    const name = make('b');
    name.append(make('bdi', label));
    line.append(name, `, similarity ${similarity.toFixed(2)}`);
    item.append(whole, line);
    return item;
  }));
  $('nearest').classList.remove('busy');
};

$('correct').addEventListener('submit', event => {
  event.preventDefault();
  tell('');
  attempt((async () => {
    const label = $('right').value, {number} = await ask('page/corrections', {text: asked, label});
    $('saved').textContent = `Saved: ${number.toLocaleString('en')} in ${about.corrections}`;
  })());
});

// A file of texts.
const SHOWN = 100;
let file, answering;
const answerFile = async column => {
  running?.abort();
  answering?.abort();
  const {signal} = answering = new AbortController();
  tell('');
  if (file.size > about.file_bytes) return tell(`${file.name} has more than ${about.file_bytes / 2 ** 20} MB; answer it with 'sharprecl predict'.`);
  for (const part of ['answer', 'words', 'nearest', 'choose', 'progress', 'rows']) $(part).hidden = true;
  const headers = {'Content-Type': 'application/octet-stream', 'X-File-Name': encodeURIComponent(file.name)};
  if (column !== undefined) headers['X-Column'] = encodeURIComponent(column);
  const response = await reach('page/file', {method: 'POST', body: file, headers, signal});
  $('file-name').textContent = file.name;
  if (!response.headers.get('content-type')?.includes('ndjson')) {
    const {columns} = await checked(response);
    $('column').replaceChildren(...columns.map(name => new Option(name, name)));
    $('choose').hidden = $('table').hidden = false;
    return $('column').focus();
  }
  await showRows(response);
};
const showRows = async response => {
  const body = $('rows').querySelector('tbody'), lines = [];
  let total = 0, done = 0, unsure = 0, silent = 0, rest = '';
  body.replaceChildren();
  URL.revokeObjectURL($('download').href);
  $('download').hidden = true;
  $('table').hidden = $('progress').hidden = $('rows').hidden = $('stop').hidden = $('bar').hidden = false;
  const take = part => {
    if (part.error) throw new Error(part.error);
    if (part.total) total = $('bar').max = part.total;
    lines.push(part.lines);
    for (const [text, label, confidence, abstained] of part.rows ?? []) {
      done += 1;
      unsure += abstained && label !== null;
      silent += label === null;
      if (done > SHOWN) continue;
      const row = body.insertRow(), quoted = make('div', text, 'cut');
      quoted.dir = 'auto';
      row.insertCell().append(quoted);
      const cell = row.insertCell();
      cell.className = 'left';
      cell.append(make('bdi', label ?? '–'), abstained && label !== null ? ' (not sure)' : '');
      row.insertCell().textContent = confidence === null ? '–' : percent(confidence);
    }
    $('bar').value = done;
    $('count').textContent = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} rows`;
  };
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read; !(read = await reader.read()).done;) {
    const parts = (rest + read.value).split('\n');
    rest = parts.pop();
    parts.forEach(part => take(JSON.parse(part)));
  }
  if (done < total) throw new Error('The server stopped before the end of the file.');
  $('stop').hidden = $('bar').hidden = true;
  const counted = (number, what) => number ? `, ${number.toLocaleString('en')} ${what}` : '';
  const more = done > SHOWN ? `; the first ${SHOWN} are shown` : '';
  $('count').textContent = `${done.toLocaleString('en')} rows${counted(unsure, 'not sure')}${counted(silent, 'without an answer')}${more}`;
  $('download').href = URL.createObjectURL(new Blob(lines, {type: 'text/csv'}));
  $('download').download = `${file.name.replace(/\.[^.]*$/, '')}.answers.csv`;
  $('download').hidden = false;
};
const take = chosen => { if (chosen) { file = chosen; attempt(answerFile()); } };
$('file').addEventListener('change', () => { take($('file').files[0]); $('file').value = ''; });
$('choose').addEventListener('submit', event => { event.preventDefault(); attempt(answerFile($('column').value)); });
$('stop').addEventListener('click', () => { answering.abort(); $('stop').hidden = true; $('count').textContent += ', stopped'; });
addEventListener('dragover', event => { event.preventDefault(); document.body.classList.add('dragging'); });
addEventListener('dragleave', event => { if (!event.relatedTarget) document.body.classList.remove('dragging'); });
addEventListener('drop', event => {
  event.preventDefault();
  document.body.classList.remove('dragging');
  take(event.dataTransfer.files[0]);
});
