/** Matches an image after FROM, `image:`, `imageName:` (of CloudNativePG) or `ARG …IMAGE=`: its name with a tag, and the digest to which it is pinned, if any. */
const REFERENCE =
  /((?:^|\n)[ \t]*(?:FROM(?:[ \t]+--platform=\S+)?[ \t]+|(?:- )?image(?:Name)?:[ \t]*['"]?|ARG[ \t]+\w*IMAGE=))([a-z0-9./-]+(?::\d+\/[a-z0-9./-]+)?:[\w.-]+)(@sha256:[0-9a-f]{64})?/g;

/** Our own images have no digest before they are built. */
const OWN = /^tandem\//;

/**
 * Returns the third-party images that a Dockerfile, a compose file or a manifest names.
 * @param {string} text
 * @returns {{ image: string, pinned: boolean }[]} image: name and tag
 */
export const imagesIn = (text) =>
  [...text.matchAll(REFERENCE)]
    .filter(([, , image]) => !OWN.test(image))
    .map(([, , image, digest]) => ({ image, pinned: digest !== undefined }));

/**
 * Returns the text with each third-party image pinned.
 * @param {string} text
 * @param {(image: string) => string | null} digestOf returns `sha256:…` for a name with a tag; null removes a pin
 */
export const withDigests = (text, digestOf) =>
  text.replace(REFERENCE, (whole, before, image) => {
    if (OWN.test(image)) return whole;
    const digest = digestOf(image);
    return `${before}${image}${digest === null ? '' : `@${digest}`}`;
  });
