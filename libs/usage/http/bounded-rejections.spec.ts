import { describe, expect, it } from '@jest/globals';
import { boundedRejections } from './bounded-rejections.js';

const LIMIT = 64 * 1024;
const rejections = (field: string, message: string) =>
  Array.from({ length: 1_000 }, (_, index) => ({ index, id: 'req_1', field, message }));
const bytesOf = (list: object): number => Buffer.byteLength(JSON.stringify(list));

describe('rejected events of an answer', () => {
  it('are complete if they fit', () => {
    const few = rejections('model', 'must be a text').slice(0, 100);
    expect(boundedRejections(few, LIMIT)).toEqual(few);
    const many = rejections('model', 'must be a text of 1 to 255 characters');
    expect(boundedRejections(many, 1_000_000)).toEqual(many);
  });

  it('are each named by index and field if they do not fit, the first ones completely', () => {
    const shown = boundedRejections(rejections('specversion', 'must be "1.0"'), LIMIT);
    expect(bytesOf(shown)).toBeLessThan(LIMIT);
    expect(shown.map(({ index }) => index)).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
    expect(shown[0]).toEqual({ index: 0, id: 'req_1', field: 'specversion', message: 'must be "1.0"' });
    expect(shown[999]).toEqual({ index: 999, id: null, field: 'specversion', message: 'same' });
  });

  it('say which are conflicts, also in the short form', () => {
    const shown = boundedRejections(rejections('id', 'conflict: an event with this id is stored already'), LIMIT);
    expect(shown[999]).toMatchObject({ field: 'id', message: 'conflict' });
  });
});
