import { NotFoundException, Param, type PipeTransform } from '@nestjs/common';

/** Refuses an id that contains U+0000, because Postgres cannot store that character. */
class PathIdPipe implements PipeTransform<string, string> {
  constructor(private readonly NotFound: new () => Error) {}

  transform(id: string): string {
    if (id.includes('\0')) throw new this.NotFound();
    return id;
  }
}

/**
 * Injects an id from the path.
 *
 * @param NotFound the operation's error for an unknown id; default: `not_found`
 */
export const PathId = (name: string, NotFound: new () => Error = NotFoundException): ParameterDecorator =>
  Param(name, new PathIdPipe(NotFound));
