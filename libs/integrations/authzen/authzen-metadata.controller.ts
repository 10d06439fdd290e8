import { Get, Req } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { GovernanceController, Open, rootAddressOf, type HttpRequest } from '#access';

const WELL_KNOWN = '.well-known';
const DOCUMENT = 'authzen-configuration';

/** Metadata for a policy enforcement point (section 9 of the Authorization API 1.0). */
interface AuthzenMetadata {
  readonly policy_decision_point: string;
  readonly access_evaluation_endpoint: string;
  readonly access_evaluations_endpoint: string;
}

/**
 * The public metadata of the policy decision point. They contain no search endpoints, because this service has none.
 */
@GovernanceController(WELL_KNOWN, 'AuthZEN')
export class AuthzenMetadataController {
  @Get(DOCUMENT)
  @Open()
  @ApiExcludeEndpoint()
  metadata(@Req() request: HttpRequest): AuthzenMetadata {
    const root = rootAddressOf(request, `/${WELL_KNOWN}/${DOCUMENT}`);
    return {
      policy_decision_point: root,
      access_evaluation_endpoint: `${root}/access/v1/evaluation`,
      access_evaluations_endpoint: `${root}/access/v1/evaluations`,
    };
  }
}
