import { applyDecorators, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiParam } from '@nestjs/swagger';
import { Open, ReadsBody, Refuses } from '#access';
import { ChatSignatureError } from '../commands/chat-owners.js';

const FORM = 'application/x-www-form-urlencoded';

/** A route that chat platforms call with a form. The signature of the body authenticates the request. */
export function TakesSignedForm({ maxBytes, example }: { maxBytes: number; example: string }): MethodDecorator {
  const tooLarge = `The body may be at most ${maxBytes / 1024} KiB.`;
  return applyDecorators(
    HttpCode(HttpStatus.OK),
    Open(),
    ReadsBody({ maxBytes, textTypes: [FORM] }),
    Refuses([401, new ChatSignatureError().message], 404, [413, tooLarge], 415),
    ApiHeader({
      name: 'X-Slack-Request-Timestamp',
      required: false,
      description: 'Slack only: Unix time in seconds, at most five minutes off.',
      schema: { type: 'string' },
    }),
    ApiHeader({
      name: 'X-Slack-Signature',
      required: false,
      description: 'Slack only: `v0=` and the HMAC-SHA256 of `v0:<timestamp>:<body>` in hexadecimal.',
      schema: { type: 'string' },
    }),
    ApiParam({ name: 'platform', description: 'Which chat platform.', schema: { type: 'string', example: 'slack' } }),
    ApiConsumes(FORM),
    ApiBody({ schema: { type: 'string', example } }),
  );
}
