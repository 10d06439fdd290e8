import { Body, Controller, Get, NotFoundException, Param, Post } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { IsEmail, IsNotEmpty } from 'class-validator';
import { User } from './user.entity.js';

class SignUpDto {
  @IsEmail()
  email!: string;

  @IsNotEmpty()
  nickname!: string;
}

/** The shop's own routes. */
@Controller('users')
export class UsersController {
  constructor(private readonly em: EntityManager) {}

  @Post()
  async signUp(@Body() body: SignUpDto): Promise<User> {
    const user = this.em.create(User, body);
    await this.em.flush();
    return user;
  }

  @Get(':email')
  async show(@Param('email') email: string): Promise<User> {
    const user = await this.em.findOne(User, { email });
    if (!user) throw new NotFoundException();
    return user;
  }
}
