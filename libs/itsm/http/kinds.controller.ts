import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { GovernanceController, Refuses, Requires } from '#access';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { presentKind } from './connector.presenter.js';
import { ConnectorKindsDto } from './kind.dto.js';
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
  @ApiOkResponse({ type: ConnectorKindsDto, description: 'All platforms.' })
  @Refuses(400)
  list(@Query() _query: NothingDto): ConnectorKindsDto {
    const items = this.adapters.all.map(presentKind);
    return { items, next_cursor: null, has_more: false, total_count: items.length };
  }
}
