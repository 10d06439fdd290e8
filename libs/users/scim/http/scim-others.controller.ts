import { All } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NotFoundError } from '#core';
import { NotImplementedError } from '../protocol/scim-error.js';
import { ScimController, ScimRoute } from './scim.decorators.js';

/** Whatever else is asked for under `/scim/v2`, so that it is refused in the words of SCIM too. */
@ScimController()
@ApiExcludeController()
export class ScimOthersController {
  @All('Bulk')
  @ScimRoute()
  bulk(): never {
    throw new NotImplementedError(
      'Bulk requests are not supported, as ServiceProviderConfig says; send them one by one.',
    );
  }

  @All('Me')
  @ScimRoute()
  me(): never {
    throw new NotImplementedError('/Me is not supported: the credential is an identity provider’s, not a person’s.');
  }

  @All('*path')
  @ScimRoute()
  other(): never {
    throw new NotFoundError(
      'There is no such address; SCIM has Users, Groups, Schemas, ResourceTypes, ServiceProviderConfig.',
    );
  }
}
