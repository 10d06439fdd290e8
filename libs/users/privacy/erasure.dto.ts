import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, dtoOf, f } from '#access';
import type { ErasureReport } from './user-erasure.js';

const MOST = 20;

/** Body of an erasure. */
@ApiSchema({ name: 'GovernanceEraseUserDto' })
export class EraseUserDto {
  @CheckedField(
    {
      optional: true,
      description:
        'Further e-mail addresses and names of the person, such as a former address that the audit log no longer has. At ' +
        'most 20, each with 3 to 320 characters.',
      example: ['ada.byron@example.com'],
    },
    { type: 'array', items: { type: 'string', minLength: 3, maxLength: 320 }, maxItems: MOST },
    alsoDefect,
  )
  also?: string[];
}

/** Result of an erasure. */
@ApiSchema({ name: 'GovernanceErasedUserDto' })
export class ErasedUserDto extends dtoOf({
  id: f.uuid('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33'),
  erased_at: f.instant('2026-11-20T13:00:00.000Z', 'Time of the first request.'),
  rows: f.record<Record<string, number>>(
    { decisions: 12, audit_log: 5 },
    'Rows that this request deleted or changed, by table.',
  ),
}) {}

/** The answer to an erasure. */
export function presentErasure({ userId, erasedAt, tables }: ErasureReport): ErasedUserDto {
  return { id: userId, erased_at: erasedAt.toISOString(), rows: { ...tables } };
}

function alsoDefect(value: unknown): string | undefined {
  const isGood =
    Array.isArray(value) &&
    value.length <= MOST &&
    value.every(text => typeof text === 'string' && isLong(text.trim()));
  return isGood ? undefined : `must be a list of at most ${MOST} texts with 3 to 320 characters each`;
}

function isLong(text: string): boolean {
  return text.length >= 3 && text.length <= 320 && !text.includes('\0');
}
