import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { NotFoundError } from '#core';

/** PostgreSQL's largest integer. */
export const VERSION_MAX = 2_147_483_647;

@Injectable()
class VersionNumberPipe implements PipeTransform<string, number> {
  transform(value: string): number {
    // An invalid number results in 404, like a version that does not exist.
    const version = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : Infinity;
    if (version > VERSION_MAX) throw new NotFoundError('The policy has no such version.');
    return version;
  }
}

/** The number of a policy's version, from the path. Any other text results in 404. */
export function VersionNumber(): ParameterDecorator {
  const read = Param('version', VersionNumberPipe);
  const document = ApiParam({
    name: 'version',
    description: 'Number of the version. Any other text is answered with 404.',
    schema: { type: 'integer', minimum: 1, maximum: VERSION_MAX, example: 2 },
  });
  return (target, method, index) => {
    read(target, method, index);
    const descriptor = method === undefined ? undefined : Object.getOwnPropertyDescriptor(target, method);
    if (method !== undefined && descriptor) document(target, method, descriptor);
  };
}
