import { Module } from '@nestjs/common';
import { UserLockSession } from './user-lock-session';
import { UserLocks } from './user-locks';

@Module({ providers: [UserLocks, UserLockSession], exports: [UserLocks] })
export class UserLockModule {}
