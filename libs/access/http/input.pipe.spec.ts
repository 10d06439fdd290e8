import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsArray, IsOptional, ValidateNested } from 'class-validator';
import { BadRequestError, type FieldError } from '#core';
import {
  CheckedField,
  ChoiceField,
  ChoiceListField,
  FlagField,
  InstantField,
  IntegerField,
  NumberField,
  ObjectField,
  ObjectListField,
  TextField,
  UuidField,
} from './field.decorators.js';
import { IgnoresReadOnly, InputPipe, isDeeperThan, readInput } from './input.pipe.js';

class Part {
  @TextField({ max: 5 })
  name!: string;
}

@IgnoresReadOnly('id', 'created_at')
class Thing {
  @TextField({ max: 5 })
  name!: string;

  @TextField({ max: 10, optional: true, nullable: true })
  model?: string | null;

  @TextField({ max: 10, nullable: true, optional: false })
  nullable!: string | null;

  @ChoiceField(['a', 'b'], { optional: true })
  choice?: string;

  @ChoiceListField(['a', 'b'], { optional: true, min: 1, max: 2 })
  choices?: string[];

  @FlagField({ optional: true })
  flag?: boolean;

  @IntegerField({ optional: true, min: 1, max: 9 })
  count?: number;

  @NumberField({ optional: true, min: 0, max: 1 })
  share?: number;

  @UuidField({ optional: true })
  user_id?: string;

  @InstantField({ optional: true })
  at?: string;

  @CheckedField({ optional: true }, { type: 'object', additionalProperties: true }, value =>
    typeof value === 'object' && value !== null ? undefined : 'must be an object',
  )
  free?: Record<string, unknown>;

  @ObjectField(() => Part, { optional: true })
  part?: Part;

  @ObjectListField(() => Part, { optional: true, max: 2 })
  parts?: Part[] = [];

  @ValidateNested({ each: true })
  @IsArray()
  @IsOptional()
  @Type(() => Part)
  bare?: Part[];
}

const GOOD = { name: 'ok', nullable: null };

function faults(body: unknown): FieldError[] | undefined {
  try {
    readInput(Thing, body, 'body');
    return undefined;
  } catch (error) {
    if (error instanceof BadRequestError) return error.details;
    throw error;
  }
}

describe('input', () => {
  it('is accepted unchanged if it is valid', () => {
    const body = {
      ...GOOD,
      model: null,
      choice: 'a',
      choices: ['a'],
      flag: false,
      count: 1,
      share: 0.5,
      parts: [{ name: 'p' }],
    };
    expect(readInput(Thing, body, 'body')).toEqual(body);
  });

  it.each([
    [{}, 'name', 'is required'],
    [{ name: null }, 'name', 'must be a text'],
    [{ name: 5 }, 'name', 'must be a text'],
    [{ name: {} }, 'name', 'must be a text'],
    [{ name: ['a'] }, 'name', 'must be a text'],
    [{ name: '' }, 'name', 'must not be empty'],
    [{ name: ' \t\u3000' }, 'name', 'must not be blank'],
    [{ name: 'abcdef' }, 'name', 'must be at most 5 characters'],
    [{ name: 'a\0' }, 'name', 'must not contain NUL or half of a surrogate pair'],
    [{ name: '\ud800' }, 'name', 'must not contain NUL or half of a surrogate pair'],
    [{ name: `a${'\ufe0f'.repeat(5)}` }, 'name', 'must be at most 5 characters'],
    [{ model: 1 }, 'model', 'must be a text'],
    [{ nullable: undefined }, 'nullable', 'is required'],
    [{ choice: 'c' }, 'choice', 'must be one of: a, b'],
    [{ choice: null }, 'choice', 'must be one of: a, b'],
    [{ choice: ['a'] }, 'choice', 'must be one of: a, b'],
    [{ choices: 'a' }, 'choices', expect.any(String)],
    [{ choices: [] }, 'choices', 'must have at least 1 entries'],
    [{ choices: ['a', 'c'] }, 'choices', 'each entry must be one of: a, b'],
    [{ flag: 'true' }, 'flag', 'must be true or false'],
    [{ flag: 1 }, 'flag', 'must be true or false'],
    [{ flag: null }, 'flag', 'must be true or false'],
    [{ count: '1' }, 'count', 'must be a whole number from 1 to 9'],
    [{ count: 1.5 }, 'count', 'must be a whole number from 1 to 9'],
    [{ count: 10 }, 'count', 'must be a whole number from 1 to 9'],
    [{ share: null }, 'share', 'must be a number from 0 to 1'],
    [{ share: 2 }, 'share', 'must be a number from 0 to 1'],
    [{ user_id: '42' }, 'user_id', 'must be a UUID'],
    [{ at: '2026-11-20' }, 'at', expect.stringContaining('ISO 8601')],
    [{ at: '2026-02-29T00:00:00Z' }, 'at', expect.stringContaining('ISO 8601')],
    [{ at: '2026-11-20T25:00:00Z' }, 'at', expect.stringContaining('ISO 8601')],
    [{ at: '2026-11-20T13:00:00' }, 'at', expect.stringContaining('time zone')],
    [{ free: 'x' }, 'free', 'must be an object'],
    [{ free: null }, 'free', 'must be an object'],
    [{ parts: [{ name: 'p' }, {}] }, 'parts[1].name', 'is required'],
    [{ parts: [{ name: 'p', x: 1 }] }, 'parts[0].x', 'is not a field of this request'],
    [{ parts: [{ name: 'p', x: { constructor: 1 } }] }, 'parts[0].x', 'is not a field of this request'],
    [{ parts: [{ name: 'p' }, 5] }, 'parts', 'each entry must be an object'],
    [{ parts: [[]] }, 'parts', 'each entry must be an object'],
    [{ parts: {} }, 'parts', 'must be a list'],
    [{ parts: [{}, {}, {}] }, 'parts', 'must have at most 2 entries'],
    [{ part: { name: 'p', x: 1 } }, 'part.x', 'is not a field of this request'],
    [{ part: [] }, 'part', 'must be an object'],
    [{ part: 'p' }, 'part', 'must be an object'],
    [{ part: null }, 'part', 'must be an object'],
    [{ bare: [{ name: 5 }] }, 'bare[0].name', 'must be a text'],
    [{ unknown: { constructor: { a: 1 } } }, 'unknown', 'is not a field of this request'],
    [{ name: { constructor: 1 } }, 'name', 'must be a text'],
    [{ nmae: 'x' }, 'nmae', 'is not a field of this request'],
    [{ constructor: 'x' }, 'constructor', 'is not a field of this request'],
    [{ part: { name: 'p', valueOf: 1 } }, 'part.valueOf', 'is not a field of this request'],
    [{ parts: [JSON.parse('{"name":"p","__proto__":1}')] }, 'parts[0].__proto__', 'is not a field of this request'],
    [{ toString: 'x' }, 'toString', 'is not a field of this request'],
    [JSON.parse('{"__proto__":{"name":"x"}}'), '__proto__', 'is not a field of this request'],
  ])('%j is refused at %s: %s', (body, field, message) => {
    // A case that expects a fault of the field `name` without setting it leaves this required field out. All other
    // cases start from a valid body.
    const given =
      field === 'name' && !('name' in body) ? { nullable: null } : Object.assign(Object.create(null), GOOD, body);
    if (Object.hasOwn(body, '__proto__')) Object.defineProperty(given, '__proto__', { value: {}, enumerable: true });
    expect(faults(given)).toEqual([{ field, message }]);
  });

  it('is refused with all invalid fields at once', () => {
    expect(
      faults({ name: '', flag: 1, x: 1 })
        ?.map(fault => fault.field)
        .sort(),
    ).toEqual(['flag', 'name', 'nullable', 'x']);
  });

  it.each([[undefined], [null], ['text'], [[]], [5]])('that is %j is refused as a body', body => {
    expect(faults(body)?.[0]?.field).toBe('body');
  });

  it('counts a character outside the basic plane as one', () => {
    expect(faults({ ...GOOD, name: '🙂'.repeat(5) })).toBeUndefined();
    expect(faults({ ...GOOD, name: '🙂'.repeat(6) })?.[0]?.field).toBe('name');
  });

  it('loses the read-only fields of the resource, so that a read body can be written back', () => {
    expect(readInput(Thing, { ...GOOD, id: 'x', created_at: 5 }, 'body')).not.toHaveProperty('id');
  });

  it("is not changed in the caller's object", () => {
    const body = { ...GOOD, id: 'x' };
    readInput(Thing, body, 'body');
    expect(body).toHaveProperty('id');
  });

  it('keeps free JSON unchanged, also keys that every object inherits', () => {
    const free = JSON.parse('{"constructor":{"in":["x"]},"toString":1,"nested":{"valueOf":[null,{"a":1}]}}');
    expect(readInput(Thing, { ...GOOD, free }, 'body').free).toEqual(free);
  });

  it('may be 32 levels deep and no deeper', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    expect(isDeeperThan(nested(32), 32)).toBe(false);
    expect(isDeeperThan(nested(33), 32)).toBe(true);
    expect(faults({ ...GOOD, free: { a: nested(31) } })).toEqual([
      { field: 'body', message: expect.stringContaining('32') },
    ]);
  });

  /** About as many keys as a body of 1 MiB can contain. */
  const manyKeys = Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`k${n}`, 1]));

  it.each([
    ['', manyKeys],
    ['part.', { ...GOOD, part: { name: 'p', ...manyKeys } }],
    ['parts[1].', { ...GOOD, parts: [{ name: 'p' }, { name: 'p', ...manyKeys }] }],
  ])('with 90,000 unknown fields in %j is refused without reading all of them', (path, body) => {
    const start = performance.now();
    const found = faults(body);
    expect(performance.now() - start).toBeLessThan(15_000);
    expect(found?.length).toBeGreaterThanOrEqual(90_000);
    expect(found).toContainEqual({ field: `${path}k0`, message: 'is not a field of this request' });
  });

  it('with a list far above its limit is refused without reading its entries', () => {
    const start = performance.now();
    const parts = Array.from({ length: 300_000 }, () => ({}));
    expect(faults({ ...GOOD, parts })).toEqual([{ field: 'parts', message: 'must have at most 2 entries' }]);
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});

describe('InputPipe', () => {
  it('does not change a parameter that is not a DTO', () => {
    const pipe = new InputPipe();
    expect(pipe.transform('x', { type: 'param', metatype: String })).toBe('x');
    expect(pipe.transform({ a: 1 }, { type: 'body', metatype: Object })).toEqual({ a: 1 });
    expect(pipe.transform({ a: 1 }, { type: 'custom', metatype: Thing })).toEqual({ a: 1 });
  });
});
