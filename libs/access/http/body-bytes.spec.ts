import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#core';
import { readBytes } from './body-bytes.js';

describe('the bytes of a body', () => {
  const limit = { maxBytes: 4, tooLarge: () => new Error('too large') };

  it('cause an error if the client has disconnected before they are read', async () => {
    const request = new IncomingMessage(new Socket());
    request.destroy();
    await once(request, 'close');
    await expect(readBytes(request, limit)).rejects.toBeInstanceOf(BadRequestError);
  });
});
