import type { Locator, Page } from 'playwright-core';

/** A button or link to press: some actions are links that look like buttons. */
export const act = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', { name }).or(within.getByRole('link', { name })).first();

/** Opens the sheet of the first row with a text. */
export const row =
  (text: string | RegExp = '') =>
  (page: Page): Promise<void> =>
    page.locator('main tbody tr').filter({ hasText: text }).locator('a').first().click();

/** Opens the sheet of a row, and presses a button in the sheet. */
export const dialog =
  (text: string | RegExp, name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await row(text)(page);
    await act(page.getByRole('dialog').last(), name).click();
  };

/** On narrow screens, the theme button is in a separate menu. */
export const themes = async (page: Page): Promise<void> => {
  const own = page.getByRole('button', { name: /^Signed in as/ });
  const button = page.getByRole('button', { name: /^Theme/ });
  await own.waitFor();
  await ((await button.isVisible()) ? button : own).click();
};
