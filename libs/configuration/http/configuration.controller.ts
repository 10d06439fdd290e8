import { Body, Get, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AlsoNeeds,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  SometimesNeeds,
  type Actor,
} from '#access';
import type { JsonObject } from '#core';
import { AmbiguousNamesError } from '../configuration.errors.js';
import { ConfigurationService } from '../configuration.service.js';
import { ApplyQueryDto, ConfigurationReportDto, DOCUMENT_SCHEMA, presentReport } from './configuration.dto.js';

const MAX_BYTES = 8 * 1024 * 1024;
const AMBIGUOUS = new AmbiguousNamesError('policies', ['No GPT-4 outside research']).message;

/** The configuration of the caller's organization as one document. */
@GovernanceController('v1/configuration', 'Configuration')
export class ConfigurationController {
  constructor(private readonly configuration: ConfigurationService) {}

  @Get()
  @Requires('organization:read')
  @AlsoNeeds(
    ...(['policies:read', 'prices:read', 'budgets:read', 'users:read', 'webhooks:read'] as const),
    ...(['itsm:read', 'anomalies:read'] as const),
  )
  @Refuses([409, AMBIGUOUS])
  @ApiOperation({
    operationId: 'getConfiguration',
    summary: 'Export the configuration as one document',
    description:
      'Contains every policy, price, budget, limit, webhook and connector, and the settings, by name and without ids. ' +
      'The same configuration gives the same document. Secrets are references to environment variables.',
  })
  @ApiOkResponse({ schema: DOCUMENT_SCHEMA, description: 'The document.' })
  export(@CurrentActor() actor: Actor): Promise<JsonObject> {
    return this.configuration.export(actor);
  }

  @Put()
  @ReadsBody({ maxBytes: MAX_BYTES })
  @Requires('organization:write')
  @SometimesNeeds({
    when: 'the document names a kind of configuration',
    scopes: 'the scopes that read and change objects of the kind, and `users:read` for budgets and limits',
  })
  @Refuses(400, [409, AMBIGUOUS], 413, 415)
  @ApiOperation({
    operationId: 'putConfiguration',
    summary: 'Make the configuration say what a document says',
    description:
      'Objects are found by name. Kinds that the document does not name stay as they are; of the others, a missing ' +
      'field gets its default, and a missing secret stays as it is. The document is checked as a whole before anything ' +
      'changes. Then each object is changed in its own transaction. After an interruption, send the document again.',
  })
  @ApiBody({ schema: DOCUMENT_SCHEMA })
  @ApiOkResponse({ type: ConfigurationReportDto, description: 'What changed, or would change.' })
  async apply(
    @CurrentActor() actor: Actor,
    @Query() query: ApplyQueryDto,
    @Body() document: unknown,
  ): Promise<ConfigurationReportDto> {
    const options = { dryRun: query.dry_run === 'true', prune: query.prune === 'true' };
    return presentReport(await this.configuration.apply(actor, document, options));
  }
}
