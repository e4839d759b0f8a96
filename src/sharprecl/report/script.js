document.querySelectorAll('[data-group]').forEach(box => box.addEventListener('change', () => {
  document.getElementById(box.dataset.group).style.display = box.checked ? '' : 'none';
}));
const body = document.querySelector('#classes tbody'), heads = [...document.querySelectorAll('#classes th')];
heads.forEach((head, column) => head.addEventListener('click', () => {
  const down = head.getAttribute('aria-sort') === 'descending' || (column === 0 && head.getAttribute('aria-sort') !== 'ascending');
  heads.forEach(other => other.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', down ? 'ascending' : 'descending');
  const key = row => row.cells[column].dataset.v, sign = down ? 1 : -1;
  const order = (a, b) => column ? key(a) - key(b) : key(a).localeCompare(key(b));
  body.append(...[...body.rows].sort((a, b) => sign * order(a, b)));
}));
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(part => { part.open = true; }));
