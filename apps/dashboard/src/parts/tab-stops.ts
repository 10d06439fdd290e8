const CANDIDATES = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** What the tab key reaches in an element, in its order. Of a group of radio buttons that is the checked one. */
export function tabStops(within: ParentNode): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(CANDIDATES)].filter(
    each =>
      each.tabIndex >= 0 &&
      !each.matches(':disabled, [type="radio"]:not(:checked)') &&
      each.checkVisibility({ visibilityProperty: true }),
  );
}
