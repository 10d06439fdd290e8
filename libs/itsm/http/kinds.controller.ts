import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiPage, GovernanceController, Refuses, Requires } from '#access';
import type { Page } from '#core';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { presentKind } from './connector.presenter.js';
import { ConnectorKindDto } from './kind.dto.js';
import { NothingDto } from './nothing.dto.js';

/** Lists the available platforms. */
@GovernanceController('v1/itsm', 'Tickets')
export class KindsController {
  constructor(private readonly adapters: AdapterRegistry) {}

  @Get('kinds')
  @Requires('itsm:read')
  @ApiOperation({
    operationId: 'listConnectorKinds',
    summary: 'List the supported ticket platforms with the schemas of their settings',
    description: 'All are on one page.',
  })
  @ApiPage(ConnectorKindDto)
  @Refuses(400)
  list(@Query() _query: NothingDto): Page<ConnectorKindDto> {
    const items = this.adapters.all.map(presentKind);
    return { items, next_cursor: null, has_more: false, total_count: items.length };
  }
}
