import { StreamableFile } from '@nestjs/common';

/** An interceptor of the host has put a stream into an object, which no client could read. */
export class WrappedStreamError extends Error {
  constructor() {
    super(
      'An interceptor of the host wrapped a streamed answer. Leave the routes of this package as they are: ' +
        '`if (isGovernanceRoute(context)) return next.handle();`',
    );
  }
}

/**
 * An answer that is sent while it is made: CSV, server-sent events, files. Answers 500 and logs the remedy where an
 * interceptor of the host has wrapped it, instead of sending the inside of a stream as JSON.
 */
export class AnswerStream extends StreamableFile {
  toJSON(): never {
    this.getStream().destroy();
    throw new WrappedStreamError();
  }
}
