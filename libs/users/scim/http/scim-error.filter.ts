import { Catch } from '@nestjs/common';
import { ErrorFilter, type ErrorAnswer } from '#access';
import { BadRequestError } from '#core';
import { NotImplementedError, ScimError, VersionChangedError, type ScimType } from '../protocol/scim-error.js';
import { ERROR_URN } from '../protocol/urns.js';

/** Media type of SCIM (RFC 7644, section 3.1). */
export const SCIM_TYPE = 'application/scim+json';

const STATUS = { uniqueness: 409, default: 400 } as const;

/** The body of every error under `/scim/v2` (RFC 7644, section 3.12). */
interface ScimErrorBody {
  schemas: [typeof ERROR_URN];
  status: string;
  scimType?: ScimType;
  detail: string;
}

/** Converts all errors to SCIM's format, including errors of authentication, of the body parser and of the database. */
@Catch()
export class ScimErrorFilter extends ErrorFilter {
  protected override answerTo(thrown: unknown, requestId: string): ErrorAnswer {
    if (thrown instanceof ScimError) {
      const status = thrown.scimType === 'uniqueness' ? STATUS.uniqueness : STATUS.default;
      return answer(status, thrown.message, thrown.scimType);
    }
    if (thrown instanceof VersionChangedError) return answer(412, thrown.message);
    if (thrown instanceof NotImplementedError) return answer(501, thrown.message);
    const { status, body } = super.answerTo(thrown, requestId);
    // For a body that is not JSON, the body parser throws before the SCIM code runs.
    const scimType = status === 409 ? 'uniqueness' : thrown instanceof BadRequestError ? 'invalidSyntax' : undefined;
    return answer(status, 'message' in body ? String(body.message) : 'The request was refused.', scimType);
  }
}

function answer(status: number, detail: string, scimType?: ScimType): ErrorAnswer {
  const body: ScimErrorBody = {
    schemas: [ERROR_URN],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail,
  };
  return { status, body, type: SCIM_TYPE };
}
