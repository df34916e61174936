function text = linked_text(source)
%LINKED_TEXT A model of one link into a library.
text = ['Model { Version 7.0 System { Name "m" Block { BlockType Reference Name "R" ' ...
    'SourceBlock "' source '" } } }'];
end
