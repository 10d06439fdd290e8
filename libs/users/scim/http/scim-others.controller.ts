import { All } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ReadsBody } from '#access';
import { NotFoundError } from '#core';
import { NotImplementedError } from '../protocol/scim-error.js';
import { ScimController, ScimRoute } from './scim.decorators.js';
import { SCIM_TYPE } from './scim-error.filter.js';

/** Maximum number of path segments, far more than any SCIM URL has. */
const SEGMENTS_MAX = 16;
// Route parameters instead of a wildcard, because Express and Fastify have the same syntax only for parameters.
const ANYTHING = Array.from({ length: SEGMENTS_MAX + 1 }, (_, length) =>
  Array.from({ length }, (_each, at) => `:part${at}`).join('/'),
);

/** Matches all remaining paths under `/scim/v2`, so that their errors have SCIM's format too. */
@ScimController()
@ApiExcludeController()
export class ScimOthersController {
  @All('Bulk')
  @ScimRoute()
  @ReadsBody({ jsonTypes: [SCIM_TYPE], optional: true })
  bulk(): never {
    throw new NotImplementedError(
      'Bulk requests are not supported, as ServiceProviderConfig says; send them one by one.',
    );
  }

  @All('Me')
  @ScimRoute()
  @ReadsBody({ jsonTypes: [SCIM_TYPE], optional: true })
  me(): never {
    throw new NotImplementedError('/Me is not supported: the credential is an identity provider’s, not a person’s.');
  }

  @All(ANYTHING)
  @ScimRoute()
  @ReadsBody({ jsonTypes: [SCIM_TYPE], optional: true })
  other(): never {
    throw new NotFoundError(
      'There is no such address; SCIM has Users, Groups, Schemas, ResourceTypes, ServiceProviderConfig.',
    );
  }
}
