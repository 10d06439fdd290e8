import type { Page } from 'playwright-core';

/** More key presses than any page has controls. */
const TABS_MAX = 400;

/** Milliseconds in which a control may still appear, for example in a sheet whose data is being loaded. */
const APPEARS_WITHIN_MS = 20_000;

/** The accessible name of the focused element. */
const FOCUSED = `(({ activeElement: it }) => {
  if (!it || it === document.body) return '';
  const text = each => (each?.textContent ?? '').trim();
  const by = it.getAttribute('aria-labelledby');
  if (by) return by.split(' ').map(id => text(document.getElementById(id))).join(' ');
  // A label says behind its name that the field may stay empty, or gives a hint.
  const label = [...(it.labels?.[0]?.childNodes ?? [])].map(text).find(Boolean);
  return it.getAttribute('aria-label') ?? label ?? text(it);
})(document)`;

/** Uses a page without a pointer: only with the tab key, letters and Enter. */
export interface Keyboard {
  /** Moves the focus with the tab key to the element with this name, and of this kind (a CSS selector). */
  to: (name: string | RegExp, of?: string) => Promise<void>;
  /** Moves the focus there, and presses a key: Enter by default. */
  press: (name: string | RegExp, key?: string) => Promise<void>;
  /** Moves the focus into a field, and replaces its content. */
  type: (name: string | RegExp, text: string) => Promise<void>;
  /** Moves through the options of a select until the option with this name is chosen. */
  choose: (name: string | RegExp, option: string) => Promise<void>;
  /**
   * Opens a page by its shortcut: g, and then the key of the page. Waits for the page's title, because until then the
   * rows of the former page are shown.
   */
  go: (key: string, title: string) => Promise<void>;
  /** Moves the focus through the rows of the table to a row with this text, and opens the row. */
  open: (text: string) => Promise<void>;
}

/** The keyboard of the current page. `page` is called for each action, because each test may have another page. */
export function keyboardOf(page: () => Page): Keyboard {
  const isAt = async (name: string | RegExp, of: string): Promise<boolean> => {
    const [text, isOf] = await page().evaluate<[string, boolean]>(
      `[${FOCUSED}, document.activeElement.matches(${JSON.stringify(of)})]`,
    );
    return isOf && (typeof name === 'string' ? text === name : name.test(text));
  };
  const keyboard: Keyboard = {
    to: async (name, of = '*') => {
      const end = Date.now() + APPEARS_WITHIN_MS;
      for (let tabs = 0; tabs < TABS_MAX || Date.now() < end; tabs++) {
        if (await isAt(name, of)) return;
        await page().keyboard.press('Tab');
      }
      throw new Error(`the tab key did not lead to ${String(name)}`);
    },
    press: async (name, key = 'Enter') => {
      await keyboard.to(name);
      await page().keyboard.press(key);
    },
    type: async (name, text) => {
      await keyboard.to(name, 'input, textarea');
      await page().keyboard.press('ControlOrMeta+a');
      await page().keyboard.type(text);
    },
    choose: async (name, option) => {
      await keyboard.to(name, 'select');
      await page().keyboard.press('Home');
      for (let options = 0; options < TABS_MAX; options++) {
        const chosen = await page().evaluate<string>('document.activeElement.selectedOptions[0].textContent');
        if (chosen === option) return;
        await page().keyboard.press('ArrowDown');
      }
      throw new Error(`no option of ${String(name)} is ${option}`);
    },
    go: async (key, title) => {
      await page().keyboard.press('g');
      await page().keyboard.press(key);
      await page().getByRole('heading', { level: 1, name: title }).waitFor();
    },
    open: async text => {
      const row = page().locator('main [data-row]').filter({ hasText: text }).first();
      await row.waitFor();
      // Leaves fields first: a letter that is typed into a field is not a shortcut.
      await keyboard.to(/.*/, ':not(input, select, textarea)');
      for (let rows = 0; rows < TABS_MAX; rows++) {
        await page().keyboard.press('j');
        const at = await page().evaluate<string>(`document.activeElement.closest('[data-row]')?.textContent ?? ''`);
        if (at.includes(text)) return page().keyboard.press('Enter');
      }
      throw new Error(`no row has ${text}`);
    },
  };
  return keyboard;
}
