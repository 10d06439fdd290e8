import { describe, expect, it } from '@jest/globals';
import { NONE } from './support/browser.js';
import { openDesk } from './support/desk.js';
import { fill } from './support/fill.js';

describe('an operator who sets rules', () => {
  const desk = openDesk({ fill });
  const { sheet, button } = desk;

  it('writes a policy in rows and as JSON, simulates it, saves it, and restores its first version', async () => {
    await desk.page.goto('./policies/new');
    await sheet().getByLabel('Name', { exact: true }).fill('<b>Sales</b> مرحبا');
    await sheet().getByLabel('Models').fill('gpt-4o-mini');
    expect(await sheet().getByLabel('When it matches').inputValue()).toBe('alert');
    await sheet().getByLabel('When it matches').selectOption('block');
    await button('Add condition').click();
    await desk.page.getByLabel('Values, one per line').fill('Sales\nSupport');
    const json = desk.page.getByLabel('JSON', { exact: true });
    expect(await json.count()).toBe(0);
    await button('Edit as JSON').click();
    expect(JSON.parse(await json.inputValue())).toEqual({ department: { in: ['Sales', 'Support'] } });
    await json.fill('{"department":{"in":["Sales"]},"email":{"ends_with":"@example.com"}}');
    expect(await desk.page.getByLabel('Values, one per line').inputValue()).toBe('Sales');
    expect(await desk.page.getByLabel('Value', { exact: true }).inputValue()).toBe('@example.com');
    await button('Run simulation').click();
    await desk.page.getByText(/It would have blocked \d+ calls that the current policies allow/).waitFor();
    await button('Create policy').click();
    await sheet().getByRole('heading', { name: 'History' }).waitFor();
    await sheet()
      .locator('dl > div')
      .filter({ hasText: /^Updated.* by \S/ })
      .waitFor();
    await button('Disable…').click();
    await button('Disable').click();
    await button('Enable…').waitFor();
    await button(/^2 Disabled/).waitFor();
    await button(/^1 Created/).click();
    await button('Restore version 1…').click();
    await button('Restore').click();
    await button(/Restored from version 1/).waitFor();
    const { items } = await desk.api('GET', '/v1/policies?limit=1');
    expect(items).toEqual([
      expect.objectContaining({
        name: '<b>Sales</b> مرحبا',
        conditions: { department: { in: ['Sales'] }, email: { ends_with: '@example.com' } },
        enabled: true,
        version: 3,
      }),
    ]);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('is asked before a draft is discarded', async () => {
    await desk.page.goto('./policies/new');
    await sheet().getByLabel('Name', { exact: true }).fill('A draft');
    await desk.page.keyboard.press('Escape');
    await desk.page.getByText('Discard changes?').waitFor();
    await button('Cancel').click();
    expect(await sheet().getByLabel('Name', { exact: true }).inputValue()).toBe('A draft');
  });

  it('creates a budget, and reads its forecast', async () => {
    await desk.page.goto('./budgets/new');
    await sheet().getByLabel('Name', { exact: true }).fill('Engineering, a month');
    await sheet().getByLabel('Scope', { exact: true }).selectOption('department');
    await sheet().getByLabel('Department', { exact: true }).fill('Engineering');
    await sheet().getByLabel('Amount (USD)').fill('0.01');
    await button('Create budget').click();
    await sheet()
      .getByText(/Spend exceeds the budget by .* Calls continue/)
      .waitFor();
    await desk.page.getByRole('link', { name: 'Edit' }).click();
    await sheet().getByLabel('Amount (USD)').fill('100000');
    await button('Save changes').click();
    await sheet().getByText('of $100,000.00', { exact: true }).first().waitFor();
    await desk.page.getByText(/No price is known/).waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('gives a model without a price its price, and re-rates its usage', async () => {
    await desk.page.goto('./prices');
    await desk.page.getByRole('link', { name: 'house-model-1' }).click();
    await sheet().getByLabel('Input', { exact: true }).fill('2.5');
    await sheet().getByLabel('Output', { exact: true }).fill('10');
    await button('Set price').click();
    await button('Start re-rating').click();
    await desk.page.getByText('All usage has a price.').waitFor();
    const { items } = await desk.api('GET', '/v1/prices');
    expect(items).toEqual([expect.objectContaining({ model: 'house-model-1', input_per_million_usd: 2.5 })]);
    expect(desk.visitor.complaints).toEqual(NONE);
  });
});
