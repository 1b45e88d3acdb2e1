() => {
  const nameOf = (element) => {
    const text = element.getAttribute('aria-label') ?? element.textContent ?? '';
    return `${element.tagName.toLowerCase()} ${text.trim().slice(0, 40)}`;
  };
  const styleOf = (element) => getComputedStyle(element);
  const isFixed = (element) =>
    element !== null && (styleOf(element).position === 'fixed' || isFixed(element.parentElement));
  const seen = [...document.querySelectorAll('body *')].filter((element) => {
    const { width, height, right } = element.getBoundingClientRect();
    return width > 1 && height > 1 && right > 0 && styleOf(element).visibility !== 'hidden';
  });
  const isCut = (element) =>
    styleOf(element).overflowX !== 'visible' &&
    element.scrollWidth > element.clientWidth + 1 &&
    !element.matches('input');
  // WCAG exempts links inside a sentence.
  const isTarget = (element) =>
    element.matches('a[href], button, input, select, textarea') && styleOf(element).display !== 'inline';
  const { scrollWidth, clientWidth } = document.documentElement;
  return {
    sideways: scrollWidth - clientWidth,
    cut: seen.filter(isCut).map(nameOf),
    targets: seen.filter(isTarget).map((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return { name: nameOf(element), isFixed: isFixed(element), left, right, top, bottom };
    }),
  };
};
