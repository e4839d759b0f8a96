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
// What a point or cell stands for: under a mouse, under a finger, and by arrow keys.
const tip = document.body.appendChild(document.createElement('div'));
tip.className = 'tip';
tip.setAttribute('role', 'status');
let shown;
const show = item => {
  if (shown === item) return;
  shown?.classList.remove('at');
  shown = item;
  tip.textContent = item ? item.dataset.tip : '';
  item?.classList.add('at');
  follow();
};
const follow = () => {
  if (!shown) return;
  const place = shown.getBoundingClientRect(), left = place.left + place.width / 2 - tip.offsetWidth / 2;
  const above = place.top - tip.offsetHeight - 8;
  tip.style.left = `${Math.max(4, Math.min(left, document.documentElement.clientWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${above < 4 ? place.bottom + 8 : above}px`;
};
document.querySelectorAll('figure svg').forEach(svg => {
  const items = [...svg.querySelectorAll('title')].map(title => {
    const item = title.parentNode;
    item.dataset.tip = title.textContent;
    title.remove();
    return item;
  });
  if (!items.length) return;
  svg.tabIndex = 0;
  const seen = () => items.filter(item => item.getBoundingClientRect().width);
  // A finger is not as fine as a point: the nearest within a few pixels is meant.
  const nearest = (event, reach) => {
    let best, least = reach;
    for (const item of seen()) {
      const box = item.getBoundingClientRect();
      const x = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
      const y = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
      if (Math.hypot(x, y) < least) [best, least] = [item, Math.hypot(x, y)];
    }
    return best;
  };
  svg.addEventListener('pointermove', event => event.pointerType === 'mouse' && show(event.target.closest('[data-tip]')));
  svg.addEventListener('pointerleave', event => event.pointerType === 'mouse' && show());
  svg.addEventListener('click', event => show(nearest(event, 22)));
  svg.addEventListener('blur', () => show());
  svg.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (event.key === 'Escape') show();
    if (!step) return;
    event.preventDefault();
    const now = seen(), at = now.indexOf(shown);
    show(now[at < 0 ? (step > 0 ? 0 : now.length - 1) : (at + step + now.length) % now.length]);
    shown?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  });
});
addEventListener('scroll', follow, {capture: true, passive: true});
