import { describe, expect, it } from '@jest/globals';
import { dtoOf } from './dto.js';
import * as f from './dto-fields.js';
import { presenterOf } from './presenter.js';

class ThingDto extends dtoOf({
  id: f.uuid('t'),
  created_at: f.instant('2026-11-20T12:00:00Z'),
  ended_at: f.instant(null).nullable(),
  amount_usd: f.decimal(1.5),
  label: f.text('l').optional(),
}) {}

class LargeThingDto extends dtoOf(ThingDto, { size: f.integer(3) }) {}

interface Thing {
  readonly id: string;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly amountUsd: string;
  readonly secret: string;
}

const NOON = new Date('2026-11-20T12:00:00Z');
const THING: Thing = { id: 't', createdAt: NOON, endedAt: null, amountUsd: '1.50', secret: 's' };

describe('presenterOf', () => {
  const present = presenterOf(ThingDto, (thing: Thing, label?: string) => ({
    amount_usd: Number(thing.amountUsd),
    label,
  }));

  it('shows only the documented fields, in their order, and times as ISO 8601', () => {
    const shown = '{"id":"t","created_at":"2026-11-20T12:00:00.000Z","ended_at":null,"amount_usd":1.5,"label":"l"}';
    expect(JSON.stringify(present(THING, 'l'))).toBe(shown);
  });

  it('leaves out a field whose value is undefined', () => {
    expect(JSON.parse(JSON.stringify(present(THING)))).not.toHaveProperty('label');
  });

  it('shows null if a new record has no value yet', () => {
    const { endedAt: _, ...fresh } = THING;
    // A new record has no value, because the database sets the column later.
    expect(present(fresh as Thing).ended_at).toBeNull();
  });

  it('shows the fields of a base class first', () => {
    const presentLarge = presenterOf(LargeThingDto, (thing: Thing & { size: number }) => ({
      amount_usd: Number(thing.amountUsd),
      label: undefined,
    }));
    expect(Object.keys(presentLarge({ ...THING, size: 3 }))).toEqual([...Object.keys(present(THING)), 'size']);
  });

  it('does not compile if neither the record nor `own` has a field', () => {
    // @ts-expect-error -- the amount of the record is a text
    const { amount_usd: amount } = presenterOf(ThingDto)({ ...THING, label: 'l' });
    expect(amount).toBe('1.50');
  });
});
