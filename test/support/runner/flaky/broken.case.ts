import { expect, it } from '@jest/globals';

it('fails each time', () => {
  expect(1).toBe(2);
});
