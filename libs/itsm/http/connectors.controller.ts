import { Body, Delete, Get, HttpCode, HttpStatus, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ApiPage,
  CurrentActor,
  GovernanceController,
  PageQueryDto,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
} from '#access';
import type { Page } from '#core';
import { ConnectorListService } from '../connectors/connector-list.service.js';
import { ConnectorInactiveError, ConnectorNameTakenError } from '../connectors/connector.errors.js';
import { ConnectorService } from '../connectors/connector.service.js';
import { ConnectorTest } from '../delivery/connector-test.js';
import { ChangeConnectorDto, ConnectorResponseDto, CreateConnectorDto } from './connector.dto.js';
import { presentConnector, presentTest } from './connector.presenter.js';
import { NoBody, type NothingDto } from './nothing.dto.js';
import { ConnectorTestDto } from './ticket.dto.js';

const TAKEN = new ConnectorNameTakenError('Security desk').message;

/** Connectors over HTTP (interface specification, section 2.10). */
@GovernanceController('v1/itsm/connectors', 'Tickets')
export class ConnectorsController {
  constructor(
    private readonly connectors: ConnectorService,
    private readonly lists: ConnectorListService,
    private readonly tests: ConnectorTest,
  ) {}

  @Get()
  @Requires('itsm:read')
  @ApiOperation({ operationId: 'listConnectors', summary: 'List connectors, the newest first' })
  @ApiPage(ConnectorResponseDto)
  @Refuses(400)
  list(@CurrentActor() { orgId }: Actor, @Query() query: PageQueryDto): Promise<Page<ConnectorResponseDto>> {
    return this.lists.list(orgId, query, presentConnector);
  }

  @Post()
  @Requires('itsm:write')
  @ApiOperation({
    operationId: 'createConnector',
    summary: 'Create a connector',
    description: 'While the connector is active, every new incident that matches its routing gets a ticket from it.',
  })
  @ApiCreatedResponse({ type: ConnectorResponseDto, description: 'The connector, without its secrets.' })
  @Refuses(400, [409, TAKEN], 413, 415)
  async create(@CurrentActor() actor: Actor, @Body() body: CreateConnectorDto): Promise<ConnectorResponseDto> {
    const { active = true, ...draft } = body;
    return presentConnector(await this.connectors.create(actor, { ...draft, active }));
  }

  @Get(':id')
  @Requires('itsm:read')
  @ApiOperation({ operationId: 'getConnector', summary: 'Get a connector' })
  @ApiOkResponse({ type: ConnectorResponseDto, description: 'The connector, without its secrets.' })
  @Refuses(404)
  async get(@CurrentActor() { orgId }: Actor, @ResourceId() id: string): Promise<ConnectorResponseDto> {
    return presentConnector(await this.connectors.get(orgId, id));
  }

  @Patch(':id')
  @Requires('itsm:write')
  @ApiOperation({
    operationId: 'updateConnector',
    summary: 'Change the supplied fields of a connector, or activate or deactivate it',
    description:
      'Waiting tickets are sent with the new settings. While `active` is false, nothing is sent. Secrets are sent ' +
      'only to the origins that they were entered for: if you change the origins, enter all secrets again.',
  })
  @ApiOkResponse({ type: ConnectorResponseDto, description: 'The connector after the change.' })
  @Refuses(400, 404, [409, TAKEN], 413, 415)
  async change(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() body: ChangeConnectorDto,
  ): Promise<ConnectorResponseDto> {
    return presentConnector(await this.connectors.change(actor, id, body));
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('itsm:write')
  @ApiOperation({
    operationId: 'deleteConnector',
    summary: 'Delete a connector permanently',
    description: 'Tickets that are not created yet are rejected. Created tickets do not change.',
  })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @Refuses(404)
  delete(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.connectors.delete(actor, id);
  }

  @Post(':id/test')
  @HttpCode(HttpStatus.OK)
  @ReadsBody({ optional: true })
  @Requires('itsm:write')
  @ApiOperation({
    operationId: 'testConnector',
    summary: 'Test a connector, and create a test ticket of low severity',
    description: 'The ticket is created only if no check failed. Close it on the platform.',
  })
  @ApiOkResponse({ type: ConnectorTestDto, description: 'The results of the checks, and the ticket.' })
  @Refuses(400, 404, [409, new ConnectorInactiveError().message], 413, 415)
  async test(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @NoBody() _nothing: NothingDto,
  ): Promise<ConnectorTestDto> {
    return presentTest(id, await this.tests.test(actor, id));
  }
}
