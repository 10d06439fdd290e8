import { All } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ReadsBody } from '#access';
import { NotFoundError } from '#core';
import { NotImplementedError } from '../protocol/scim-error.js';
import { ScimController, ScimRoute } from './scim.decorators.js';
import { SCIM_TYPE } from './scim-error.filter.js';

/** More than any address of SCIM has, by far. */
const SEGMENTS_MAX = 16;
// Express and Fastify write wildcards differently; parameters they write alike.
const ANYTHING = Array.from({ length: SEGMENTS_MAX + 1 }, (_, length) =>
  Array.from({ length }, (_each, at) => `:part${at}`).join('/'),
);

/** Whatever else is asked for under `/scim/v2`, so that it is refused in the words of SCIM too. */
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
