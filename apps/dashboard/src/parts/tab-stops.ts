const CANDIDATES = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** The elements that the tab key reaches, in order. For a group of radio buttons, only the checked one is included. */
export function tabStops(within: ParentNode): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(CANDIDATES)].filter(
    each =>
      each.tabIndex >= 0 &&
      !each.matches(':disabled, [type="radio"]:not(:checked)') &&
      each.checkVisibility({ visibilityProperty: true }),
  );
}
