import { expect, it } from '@jest/globals';

it('fails', () => {
  process.stdout.write('written by a file that fails\n');
  expect(1).toBe(2);
});
