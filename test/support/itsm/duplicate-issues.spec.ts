import { describe, expect, it } from '@jest/globals';
import { duplicateIssues } from './duplicate-issues.js';

const issue = (key: string, createdAt: number, foundFrom: number) => ({ key, createdAt, foundFrom });

describe('duplicates on a platform', () => {
  it('are all issues of a ticket after the first', () => {
    const issues = [issue('a', 1, 2), issue('b', 2, 3), issue('a', 3, 4), issue('a', 5, 6)];
    expect(duplicateIssues(issues, []).map(({ key }) => key)).toEqual(['a', 'a']);
  });

  it.each([
    ['by nothing if there was no search', [], false],
    ['by a search before the first one could be found', [{ key: 'a', at: 50 }], true],
    ['by nothing if the last search should have found the first one', [50, 100].map(at => ({ key: 'a', at })), false],
    ['by no search for another ticket', [{ key: 'b', at: 50 }], false],
    ['by no search after the second create', [{ key: 'a', at: 300 }], false],
  ])('are explained %s', (_what, searches, isExplained) => {
    const issues = [issue('a', 10, 100), issue('a', 200, 300)];
    expect(duplicateIssues(issues, searches)).toEqual([{ key: 'a', isExplained }]);
  });
});
