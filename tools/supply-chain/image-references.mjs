/**
 * Matches a reference to an image. The groups are:
 * - the text before it: FROM, `image:`, `imageName:` of CloudNativePG, or `ARG …IMAGE=`
 * - the name with a tag
 * - the digest to which the image is pinned, if any
 */
const REFERENCE =
  /((?:^|\n)[ \t]*(?:FROM(?:[ \t]+--platform=\S+)?[ \t]+|(?:- )?image(?:Name)?:[ \t]*['"]?|ARG[ \t]+\w*IMAGE=))([a-z0-9./-]+(?::\d+\/[a-z0-9./-]+)?:[\w.-]+)(@sha256:[0-9a-f]{64})?/g;

/** Matches our own images. They are not pinned, because they have no digest before they are built. */
const OWN = /^tandem\//;

/**
 * Returns the third-party images that a Dockerfile, a compose file or a manifest names.
 * @param {string} text
 * @returns {{ image: string, pinned: boolean }[]} `image` is the name and the tag
 */
export const imagesIn = (text) =>
  [...text.matchAll(REFERENCE)]
    .filter(([, , image]) => !OWN.test(image))
    .map(([, , image, digest]) => ({ image, pinned: digest !== undefined }));

/**
 * Returns the text with each third-party image pinned to its digest, or with the digests removed.
 * @param {string} text
 * @param {(image: string) => string | null} digestOf returns `sha256:…` for a name with a tag; null removes a pin
 */
export const withDigests = (text, digestOf) =>
  text.replace(REFERENCE, (whole, before, image) => {
    if (OWN.test(image)) return whole;
    const digest = digestOf(image);
    return `${before}${image}${digest === null ? '' : `@${digest}`}`;
  });
