import { Injectable, NotFoundException, Param, type PipeTransform } from '@nestjs/common';

/** An id that Postgres cannot even be asked for belongs to nothing. */
@Injectable()
export class PathIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (id.includes('\0')) throw new NotFoundException('There is nothing with this id');
    return id;
  }
}

/** An id in the path. */
export const PathId = (name: string): ParameterDecorator => Param(name, PathIdPipe);
