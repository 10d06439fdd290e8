import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  NotFoundException,
  Optional,
  Param,
  ParseIntPipe,
  Post,
  Redirect,
  StreamableFile,
} from '@nestjs/common';
import { MikroORM } from '@mikro-orm/postgresql';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { Governance } from 'nest-llm-governance';
import { Order } from './order.entity.js';
import { Public } from './globals.js';

/** The store's own DTO. Governance has a class of the same name. */
class CreateUserDto {
  @ApiProperty()
  @IsString()
  @MaxLength(20)
  nickname!: string;
}

class BookingDto {
  @IsString()
  orgId!: string;

  @IsString()
  email!: string;

  @IsString()
  id!: string;
}

@Controller({ path: 'orders', version: '1' })
export class OrdersController {
  constructor(
    private readonly orm: MikroORM,
    @Optional() private readonly governance?: Governance,
  ) {}

  @Public()
  @Get()
  list(): string[] {
    return ['book', 'chair'];
  }

  @Get('failing')
  fail(): never {
    throw new TypeError('not for strangers');
  }

  @Get('moved')
  @Redirect('/api/v1/orders', 301)
  move(): void {}

  @Get('file')
  @Header('content-disposition', 'attachment; filename="orders.csv"')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('id,name\n1,book\n'), { type: 'text/csv' });
  }

  @Get(':id')
  one(@Param('id', ParseIntPipe) id: number): { id: number } {
    if (id > 100) throw new NotFoundException(`no order ${id}`);
    return { id };
  }

  @Post('customers')
  create(@Body() body: CreateUserDto): CreateUserDto {
    return body;
  }

  @Delete(':id')
  @HttpCode(204)
  remove(): void {}

  /** Decides and stores an order in one transaction. */
  @Post('book')
  async book(@Body() { orgId, email, id }: BookingDto): Promise<{ decision: string | undefined }> {
    const request = { user_email: email, provider: 'openai', model: 'gpt-4o', idempotency_key: id };
    return this.orm.em.fork().transactional(async em => {
      const decision = await this.governance?.decide(orgId, request, { em });
      await em.insert(Order, { id });
      return { decision: decision?.id };
    });
  }
}
