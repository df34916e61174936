function text = base64(bytes)
%GROUNDED.INTERNAL.BASE64 Encode bytes as base64 text on one line.
text = matlab.net.base64encode(reshape(uint8(bytes), 1, []));
text = text(text ~= sprintf('\n') & text ~= sprintf('\r'));
end
